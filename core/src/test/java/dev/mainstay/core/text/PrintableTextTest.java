package dev.mainstay.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PrintableTextTest {
  @Test
  void whatIsReadableStays() {
    for (var text :
        new String[] {"", "gpt-4o", "a\\nb \"c\"", "schön Ελληνικά 日本語 العربية ไทย", "🌍é"}) {
      assertThat(PrintableText.line(text)).isEqualTo(text);
      assertThat(PrintableText.lines(text)).isEqualTo(text);
    }
  }

  @Test
  void whatBreaksALineOrDrivesATerminalIsWrittenOut() {
    assertThat(PrintableText.line("a\r\nb\tc\u001b[31md\u009b2J\u0007"))
        .isEqualTo("a\\r\\nb\\tc\\u001b[31md\\u009b2J\\u0007");
    assertThat(PrintableText.line("\u2028\u2029\u0085\u202e\u2066\u200b\ufeff\u007f"))
        .isEqualTo("\\u2028\\u2029\\u0085\\u202e\\u2066\\u200b\\ufeff\\u007f");
    assertThat(PrintableText.line("\ud800x\udc00")).isEqualTo("\\ud800x\\udc00");
    assertThat(PrintableText.line("\udb40\udc41")).isEqualTo("\\udb40\\udc41");
    assertThat(PrintableText.lines("a\n\tb\r\nc\rd\u001b")).isEqualTo("a\n\tb\r\nc\\rd\\u001b");
    assertThat(PrintableText.line("abcdef", 3)).isEqualTo("abc… (3 more)");
  }

  /** Whatever the character, one line stays one line of what can be seen. */
  @Test
  void noCharacterGetsThrough() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      var line = PrintableText.line("a" + Character.toString(c) + "b");
      assertThat(line.codePoints())
          .as("U+%04X", c)
          .noneMatch(each -> Character.isISOControl(each) || isUnseen(Character.getType(each)));
    }
  }

  private static boolean isUnseen(int type) {
    return type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || type == Character.SURROGATE;
  }
}
