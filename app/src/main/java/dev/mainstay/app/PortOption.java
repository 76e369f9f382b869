package dev.mainstay.app;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --port}: 0 to 65535. */
public final class PortOption implements ITypeConverter<Integer> {
  /** The highest port. */
  public static final int MAX = 65535;

  @Override
  public Integer convert(String value) {
    try {
      int port = Integer.parseInt(value);
      if (port >= 0 && port <= MAX) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new TypeConversionException("'%s' is not 0 to %d".formatted(value, MAX));
  }
}
