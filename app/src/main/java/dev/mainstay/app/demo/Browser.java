package dev.mainstay.app.demo;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Opens an address for the person at the terminal, by what the system offers for it. */
final class Browser {
  private Browser() {}

  /** Opens {@code address}; where there is no screen or no such command, nothing happens. */
  static void open(String address) {
    var command = command(System.getProperty("os.name"), System.getenv(), address);
    var console = System.console();
    if (command.isEmpty() || console == null || !console.isTerminal()) {
      return;
    }
    try {
      new ProcessBuilder(command)
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      // The address is on the screen all the same.
    }
  }

  /** The command that opens {@code address} on a system; empty where a person has no screen. */
  static List<String> command(String system, Map<String, String> environment, String address) {
    var name = system.toLowerCase(Locale.ROOT);
    if (name.startsWith("mac")) {
      return List.of("open", address);
    }
    if (name.startsWith("windows")) {
      return List.of("rundll32", "url.dll,FileProtocolHandler", address);
    }
    boolean screen =
        environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
    return screen ? List.of("xdg-open", address) : List.of();
  }
}
