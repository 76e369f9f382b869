package dev.mainstay.app.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.mainstay.core.text.PrintableText;
import dev.mainstay.wire.json.JsonStrings;

/**
 * A JSON object a line: {@code time}, {@code level}, {@code logger}, {@code message}, then what the
 * line is about by name ({@code call}, {@code target}, …), and {@code error} where there is one.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final byte[] NONE = {};

  @Override
  public byte[] headerBytes() {
    return NONE;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    var out = new StringBuilder(256).append("{\"time\":\"").append(event.getInstant());
    out.append("\",\"level\":\"").append(event.getLevel()).append("\",\"logger\":");
    JsonStrings.append(out, event.getLoggerName()).append(",\"message\":");
    JsonStrings.append(out, event.getFormattedMessage());
    event
        .getMDCPropertyMap()
        .forEach(
            (name, value) ->
                JsonStrings.append(JsonStrings.append(out.append(','), name).append(':'), value));
    var thrown = event.getThrowableProxy();
    if (thrown != null) {
      out.append(",\"error\":");
      JsonStrings.append(out, thrown.getClassName() + ": " + thrown.getMessage());
    }
    // What is not printable stands in strings alone, where its escape means the same.
    return (PrintableText.line(out.append('}').toString()) + '\n').getBytes(UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return NONE;
  }
}
