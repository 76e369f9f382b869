package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** How runs of agents are carried out. */
public record Runs(
    @Setting(value = "Concurrent runs.", byDefault = "16", least = "1", most = "10000") int workers,
    @Setting(
            value = "Runs that may wait for a worker. Mainstay refuses a start beyond this number.",
            byDefault = "10000",
            least = "0",
            most = "10000000")
        int queue,
    @Setting(
            value =
                "PostgreSQL only: the time within which another worker takes over the runs of one"
                    + " that dies, or `store.lease` if that is shorter.",
            byDefault = "10s",
            least = "1s")
        Duration lease,
    @Setting(value = "The age at which Mainstay deletes runs.", byDefault = "30d", least = "1ms")
        Duration retention) {
  public static final Runs DEFAULTS = Declaration.defaults(Runs.class);
}
