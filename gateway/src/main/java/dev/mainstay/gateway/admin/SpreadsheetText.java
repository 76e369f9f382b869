package dev.mainstay.gateway.admin;

/** Texts on their way into a CSV file, which people open in spreadsheets. */
public final class SpreadsheetText {
  /**
   * How a cell begins that a spreadsheet runs:
   * https://owasp.org/www-community/attacks/CSV_Injection.
   */
  private static final String FORMULA = "=+-@\t\r";

  private SpreadsheetText() {}

  /** The text, behind an apostrophe where a spreadsheet would take it for a formula. */
  public static String of(String text) {
    return text.isEmpty() || FORMULA.indexOf(text.charAt(0)) < 0 ? text : "'" + text;
  }
}
