package dev.mainstay.app.terminal;

import dev.mainstay.core.text.PrintableText;
import java.util.regex.Pattern;

/**
 * Colours by meaning. With colours off every method gives back the text as it is, so that pipes and
 * files stay clean; they are off without a terminal, with {@code NO_COLOR} set (no-color.org) or
 * with {@code TERM=dumb}.
 */
public final class Style {
  private static final String RESET = "\u001b[0m";

  private static final Pattern WRAPPED =
      Pattern.compile("\u001b\\[(?:1|2|31|32|33|36)m[^\\p{Cntrl}]*\u001b\\[0m");

  private final boolean on;

  public Style(boolean on) {
    this.on = on;
  }

  /** As this process's terminal wants it. */
  public static Style detected() {
    return new Style(colours());
  }

  /** Whether this process writes to a terminal that shows colours. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 gives null again where there is no terminal
  public static boolean colours() {
    var console = System.console();
    return console != null
        && console.isTerminal()
        && System.getenv("NO_COLOR") == null
        && !"dumb".equals(System.getenv("TERM"));
  }

  /** Whether colours are on. */
  public boolean on() {
    return on;
  }

  public String good(String text) {
    return wrap("32", text);
  }

  public String bad(String text) {
    return wrap("31", text);
  }

  public String warn(String text) {
    return wrap("33", text);
  }

  public String accent(String text) {
    return wrap("36", text);
  }

  public String bold(String text) {
    return wrap("1", text);
  }

  public String faint(String text) {
    return wrap("2", text);
  }

  private String wrap(String code, String text) {
    var line = PrintableText.line(text);
    return on ? "\u001b[" + code + "m" + line + RESET : line;
  }

  /** {@code text} as a part of one line, of which only what has a colour from here keeps it. */
  static String cell(String text) {
    var matcher = WRAPPED.matcher(text);
    var out = new StringBuilder(text.length());
    int at = 0;
    while (matcher.find()) {
      out.append(PrintableText.line(text.substring(at, matcher.start()))).append(matcher.group());
      at = matcher.end();
    }
    return out.append(PrintableText.line(text.substring(at))).toString();
  }
}
