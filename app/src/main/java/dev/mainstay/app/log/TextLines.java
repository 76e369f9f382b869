package dev.mainstay.app.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import dev.mainstay.core.text.PrintableText;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A line of text an event: time, level, message; below it, where there is one, the exception and
 * the place that it came from. What a message is made of comes from outside too: it stays on its
 * line.
 */
final class TextLines extends LayoutBase<ILoggingEvent> {
  /** Characters of a message; what is longer is a name or a text that somebody made so. */
  static final int LONGEST = 4096;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

  @Override
  public String doLayout(ILoggingEvent event) {
    var out = new StringBuilder(160);
    TIME.formatTo(event.getInstant(), out);
    var level = event.getLevel().toString();
    out.append(' ').append(level).repeat(' ', Math.max(1, 6 - level.length()));
    out.append(PrintableText.line(event.getFormattedMessage(), LONGEST)).append('\n');
    var thrown = event.getThrowableProxy();
    if (thrown != null) {
      var what = thrown.getClassName() + ": " + thrown.getMessage();
      out.append(PrintableText.line(what, LONGEST)).append('\n');
      var frames = thrown.getStackTraceElementProxyArray();
      if (frames != null && frames.length > 0) {
        out.append("\tat ").append(frames[0].getStackTraceElement()).append('\n');
      }
    }
    return out.toString();
  }
}
