package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** Where Mainstay keeps its records. */
public record Store(
    @Setting(
            value =
                "A directory, relative to the folder in which Mainstay starts, or"
                    + " `jdbc:postgresql://…` for several gateways.",
            byDefault = "./mainstay-data",
            type = UrlTypes.StoreUrl.class)
        String url,
    @Setting(
            value =
                "The bound for the answers and requests that Mainstay keeps to return or repeat.",
            byDefault = "1GiB",
            unit = "bytes",
            least = "1MiB")
        long maxKept,
    @Setting(
            value =
                "PostgreSQL only: the time within which another gateway takes over the work of"
                    + " one that dies.",
            byDefault = "10s",
            least = "1s",
            most = "10m")
        Duration lease,
    @Setting(
            value =
                "PostgreSQL only: the directory on this machine in which records wait while the"
                    + " database is away.",
            byDefault = "./mainstay-spool")
        String spool) {
  /** Whether the store is a database that several gateways share. */
  public boolean isShared() {
    return url.startsWith("jdbc:");
  }

  public static final Store DEFAULTS = Declaration.defaults(Store.class);
}
