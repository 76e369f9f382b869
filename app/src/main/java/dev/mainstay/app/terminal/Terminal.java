package dev.mainstay.app.terminal;

import dev.mainstay.core.text.PrintableText;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a command prints to. Text from outside (names, paths, messages, bodies) can neither drive
 * the terminal nor begin a line of its own: a value that is put into a format stays on its line,
 * and nothing but lines, tabs and colours goes through at all.
 */
public final class Terminal extends PrintWriter {
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  private final boolean colours;

  /**
   * @param colours whether escape sequences for colours go through
   */
  public Terminal(Writer out, boolean colours) {
    super(out, true);
    this.colours = colours;
  }

  @Override
  public Terminal format(String format, Object... values) {
    return format(Locale.getDefault(Locale.Category.FORMAT), format, values);
  }

  @Override
  public Terminal format(Locale locale, String format, Object... values) {
    var safe = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      var value = values[i];
      safe[i] =
          value == null || value instanceof Number || value instanceof Boolean
              ? value
              : Style.cell(value.toString());
    }
    super.format(locale, format, safe);
    return this;
  }

  @Override
  public void write(String text, int from, int length) {
    var safe = printable(text.substring(from, from + length));
    super.write(safe, 0, safe.length());
  }

  @Override
  public void write(char[] text, int from, int length) {
    write(new String(text, from, length));
  }

  @Override
  public void write(int c) {
    write(String.valueOf((char) c));
  }

  private String printable(String text) {
    if (!colours || text.indexOf('\u001b') < 0) {
      return PrintableText.lines(text);
    }
    var out = new StringBuilder(text.length());
    var matcher = COLOUR.matcher(text);
    int at = 0;
    while (matcher.find()) {
      out.append(PrintableText.lines(text.substring(at, matcher.start()))).append(matcher.group());
      at = matcher.end();
    }
    return out.append(PrintableText.lines(text.substring(at))).toString();
  }
}
