package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where clients connect. */
public record Server(
    @Setting(
            value =
                "The address to listen on. An address other than a loopback needs `admin.token`"
                    + " or `admin.accounts`.",
            byDefault = "127.0.0.1")
        String host,
    @Setting(
            value = "The port; 0 takes a free port. `--port` overrides it.",
            byDefault = "8484",
            least = "0",
            most = "65535")
        int port,
    @Setting(
            value =
                "The largest request body of a call, compressed or not. Mainstay refuses a larger"
                    + " one with 413.",
            byDefault = "64MiB",
            unit = "bytes",
            least = "1",
            most = "2147483647")
        long maxBody,
    @Setting(value = "The time that running requests have to end after SIGTERM.", byDefault = "30s")
        Duration drain,
    @Setting(
            value =
                "If a stream has sent nothing for this long, Mainstay sends its headers and SSE"
                    + " comments.",
            byDefault = "30s",
            least = "1ms")
        Duration keepAlive,
    @Setting(
            value =
                "Mainstay compresses whole answers of this size or more with gzip for clients"
                    + " that accept it; 0 turns this off.",
            byDefault = "16KiB",
            unit = "bytes",
            most = "2147483647")
        long compressFrom,
    @Setting(value = "The certificate for HTTPS.", optional = true) @Nullable Tls tls) {
  public static final Server DEFAULTS = Declaration.defaults(Server.class);

  /** A certificate chain and its key. */
  public record Tls(
      @Setting(
              value = "The PEM file of the certificate chain.",
              type = ConfigTypes.FilePath.class,
              required = true)
          Path cert,
      @Setting(
              value = "The PEM file of the private key: PKCS#8, without a password.",
              type = ConfigTypes.FilePath.class,
              required = true)
          Path key) {}
}
