package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** How runs of agents are carried out. */
public record Runs(
    @Setting(value = "Runs carried out at once.", byDefault = "16", least = "1", most = "10000")
        int workers,
    @Setting(
            value = "Runs that may wait for a worker; beyond it a start is refused.",
            byDefault = "10000",
            least = "0",
            most = "10000000")
        int queue,
    @Setting(
            value =
                "PostgreSQL only: another worker takes the runs of one that dies over within this"
                    + " time, or within `store.lease` where that is shorter.",
            byDefault = "10s",
            least = "1s")
        Duration lease,
    @Setting(value = "Older runs go.", byDefault = "30d", least = "1ms") Duration retention) {
  public static final Runs DEFAULTS = Declaration.defaults(Runs.class);
}
