package dev.mainstay.gateway.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version that the build left in {@code mainstay.properties}. */
public final class BuildVersion {
  private static final String VERSION = read();

  private BuildVersion() {}

  /** For example {@code 0.3.0}; {@code unknown} where the program was not built as a whole. */
  public static String get() {
    return VERSION;
  }

  private static String read() {
    var properties = new Properties();
    try (var in = BuildVersion.class.getResourceAsStream("/mainstay.properties")) {
      if (in == null) {
        return "unknown";
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version", "unknown");
  }
}
