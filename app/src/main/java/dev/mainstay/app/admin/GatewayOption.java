package dev.mainstay.app.admin;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which gateway to ask. */
public final class GatewayOption {
  private static final String USUAL = "http://127.0.0.1:8484";

  @Option(
      names = {"--url", "--gateway"},
      paramLabel = "URL",
      description =
          "The gateway's address. A command that needs a gateway takes MAINSTAY_GATEWAY, or else "
              + USUAL
              + ".")
  private @Nullable String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:MAINSTAY_ADMIN_TOKEN}",
      description = "The gateway's admin token. Default: MAINSTAY_ADMIN_TOKEN.")
  private @Nullable String token;

  /** The gateway that was named, or null. */
  public @Nullable AdminClient named() {
    return url == null ? null : new AdminClient(url, token);
  }

  /** The gateway that was named, else that of {@code MAINSTAY_GATEWAY}, else the one next door. */
  public AdminClient usual() {
    return new AdminClient(
        url != null ? url : System.getenv().getOrDefault("MAINSTAY_GATEWAY", USUAL), token);
  }
}
