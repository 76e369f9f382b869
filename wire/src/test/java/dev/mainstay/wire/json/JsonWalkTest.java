package dev.mainstay.wire.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Jackson and the walk let the same bytes pass, and read the same in them, whether a value is taken
 * or stepped over.
 */
final class JsonWalkTest {
  private static final int DOCUMENTS = Integer.getInteger("mainstay.histories", 200_000) / 4;

  /** Mistakes that one byte makes, and bytes that only look like one. */
  private static final byte[] SUSPECTS =
      "\"\\{}[]:,x0-1.eE+u/tfn \t\n\r\0\u0001\u001f\u007f".getBytes(UTF_8);

  @Test
  void agreesWithJacksonOverRandomDocumentsWithRandomMistakes() {
    long seed = Long.getLong("mainstay.seed", 1L);
    int passed = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
      var random = new Random(seed + i);
      byte[] document = new RandomJson(random).bytes();
      byte[] broken = i % 4 == 0 ? document : mistaken(document, random);
      passed += agree(broken, "seed " + (seed + i)) ? 1 : 0;
    }
    assertThat(passed)
        .as("neither all nor none")
        .isBetween(DOCUMENTS / 4, DOCUMENTS - DOCUMENTS / 4);
  }

  @Test
  void agreesWhereverADocumentIsCut() {
    for (int seed = 0; seed < 300; seed++) {
      byte[] document = new RandomJson(new Random(seed)).bytes();
      for (int length = 0; length <= document.length; length++) {
        agree(Arrays.copyOf(document, length), "seed " + seed + ", cut at " + length);
      }
    }
  }

  @Test
  void agreesOnAnyByteAnywhere() {
    byte[] document =
        "{\"id\":\"c\\u00e9\\n1\",\"n\":[-1.5e+3, 0],\"t\":{\"é日👩\":true ,\"f\":false},\"z\":null}"
            .getBytes(UTF_8);
    for (int at = 0; at < document.length; at++) {
      for (int b = 0; b < 256; b++) {
        byte[] changed = document.clone();
        changed[at] = (byte) b;
        agree(changed, "byte " + b + " at " + at);
      }
    }
  }

  /** A stop in any of the eight bytes that are looked at together, beside any other. */
  @Test
  void seesEveryByteOfEight() {
    for (int at = 0; at < 19; at++) {
      for (int b = 0; b < 256; b++) {
        for (int next : new int[] {'"', '\\', 0x1f, 0x80, 0xc3, 'a', ' '}) {
          var text = new ByteArrayOutputStream();
          text.writeBytes("[\"".getBytes(UTF_8));
          text.writeBytes("a".repeat(at).getBytes(UTF_8));
          text.write(b);
          text.write(next);
          text.writeBytes("bbbbbbbb\"]".getBytes(UTF_8));
          agree(text.toByteArray(), "byte " + b + " before " + next + " at " + at);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{}",
        " { } ",
        "{} {}",
        "{} x",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "[01]",
        "[-]",
        "[-0]",
        "[1.]",
        "[.5]",
        "[1e]",
        "[1e+]",
        "[1E-2]",
        "[+1]",
        "[NaN]",
        "[truex]",
        "[tru]",
        "[nulll]",
        "[\"\\x\"]",
        "[\"\\u12g4\"]",
        "[\"\\ud800\"]",
        "[\"a\tb\"]",
        "[\"a\u007fb\"]",
        "[[]",
        "[]]",
        "[}",
        "{\"a\":[{}}]",
        "/* no */ {}",
        "\uFEFF{}",
        "\"text\"",
        "7",
        "7 ",
        "nul"
      })
  void agreesOn(String document) {
    agree(document.getBytes(UTF_8), document);
  }

  @Test
  void nestsAsDeepAsJacksonMayAndNoDeeper() {
    for (int depth : new int[] {1, 511, 512, 513, 100_000}) {
      var arrays = "[".repeat(depth) + "]".repeat(depth);
      agree(arrays.getBytes(UTF_8), depth + " arrays");
      agree(("{\"a\":" + arrays + "}").getBytes(UTF_8), depth + " arrays in an object");
    }
  }

  @Test
  void refusesNumbersThatNobodyReads() {
    for (int digits : new int[] {999, 1000, 1001, 5000}) {
      agree(("[" + "7".repeat(digits) + "]").getBytes(UTF_8), digits + " digits");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "17, 17",
    "-3, 0",
    "1.9, 1",
    "2e3, 2000",
    "9007199254740991, 9007199254740991",
    "9223372036854775807, 9007199254740992",
    "9223372036854775808, 9007199254740992",
    "1e99, 9007199254740992",
    "null, 0",
    "true, 0",
    "[7], 0"
  })
  void counts(String number, long expected) {
    var walk = new JsonWalk(("[" + number + ",1]").getBytes(UTF_8));
    walk.array();
    assertThat(walk.element()).isTrue();
    assertThat(walk.count()).isEqualTo(expected);
    assertThat(walk.element()).isTrue();
    assertThat(walk.count()).isEqualTo(1);
    assertThat(walk.element()).isFalse();
    walk.end();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "null ! false",
        "'\"\"' ! false",
        "[] ! false",
        "[ ] ! false",
        "{ } ! false",
        "[0] ! true",
        "{\"a\":null} ! true",
        "0 ! true",
        "false ! true",
        "\" \" ! true"
      })
  void says(String value, boolean expected) {
    var walk = new JsonWalk(value.getBytes(UTF_8));
    assertThat(walk.says()).isEqualTo(expected);
    walk.end();
  }

  @Test
  void saysWhereValuesBeginAndEnd() {
    var text = "x{ \"a\" : \"é\" , \"b\":[1, {}] }";
    var walk = new JsonWalk(text.getBytes(UTF_8), 1, text.getBytes(UTF_8).length - 1);
    walk.object();
    assertThat(walk.field()).isTrue();
    assertThat(walk.start()).isEqualTo(8);
    assertThat(walk.stop()).isEqualTo(12);
    assertThat(walk.field()).isTrue();
    assertThat(walk.start()).isEqualTo(19);
    assertThat(walk.stop()).isEqualTo(26);
    assertThat(walk.field()).isFalse();
    walk.end();
  }

  @Test
  void aMistakeIsNamedByItsPlace() {
    var walk = new JsonWalk("{\n \"secret\": tru".getBytes(UTF_8));
    assertThatThrownBy(walk::end)
        .isInstanceOf(JsonWalk.Malformed.class)
        .hasMessage("no JSON at line 2, column 12");
  }

  @Test
  void aWordIsTheSameStringEachTime() {
    var walk = new JsonWalk("[\"stop\",\"stop\"]".getBytes(UTF_8));
    walk.array();
    walk.element();
    var one = walk.oftenString();
    walk.element();
    assertThat(walk.oftenString()).isSameAs(one).isEqualTo("stop");
  }

  // ---- against Jackson

  private static boolean agree(byte[] document, String what) {
    for (byte b : document) {
      if (b == 0 || b == (byte) 0xff) {
        // They stand nowhere in JSON. Jackson takes the one for UTF-16, and does not see the other
        // in a name that it knows without it.
        assertThat(skipped(document)).as("%s: %s", what, text(document)).isFalse();
        return false;
      }
    }
    var theirs = jackson(document);
    var ours = taken(document);
    if (ours != null && theirs != null) {
      // What is no UTF-8 passes in strings, as before; here it reads as the sign for that.
      theirs = replaced(theirs, ours);
    }
    assertThat(ours).as("%s: %s", what, text(document)).isEqualTo(theirs);
    assertThat(skipped(document)).as("%s, stepped over", what).isEqualTo(theirs != null);
    assertThat(halfTaken(document)).as("%s, taken in part", what).isEqualTo(theirs != null);
    return theirs != null;
  }

  private static List<String> replaced(List<String> theirs, List<String> ours) {
    var same = new ArrayList<>(theirs);
    for (int i = 0; i < Math.min(theirs.size(), ours.size()); i++) {
      var our = ours.get(i);
      if (our.contains("\uFFFD") && length(our).equals(length(theirs.get(i)))) {
        same.set(i, our);
      }
    }
    return same;
  }

  private static String length(String string) {
    return string.substring(0, string.indexOf('=') + 1);
  }

  private static String text(byte[] document) {
    var text = new String(document, UTF_8);
    return text.length() > 300 ? text.substring(0, 300) : text;
  }

  private static @Nullable List<String> jackson(byte[] document) {
    var seen = new ArrayList<String>();
    try (var p = Json.parser(document)) {
      if (p.nextToken() == null) {
        return null;
      }
      jackson(p, seen);
      return p.nextToken() == null ? seen : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static void jackson(JsonParser p, List<String> to) {
    switch (p.currentToken()) {
      case START_OBJECT -> {
        to.add("{");
        for (String name = p.nextName(); name != null; name = p.nextName()) {
          to.add(name);
          p.nextToken();
          jackson(p, to);
        }
        to.add("}");
      }
      case START_ARRAY -> {
        to.add("[");
        while (p.nextToken() != JsonToken.END_ARRAY) {
          jackson(p, to);
        }
        to.add("]");
      }
      case VALUE_STRING -> to.add(p.getStringLength() + "=" + p.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> to.add("number");
      default -> to.add(String.valueOf(p.currentToken()));
    }
  }

  private static @Nullable List<String> taken(byte[] document) {
    var seen = new ArrayList<String>();
    try {
      var walk = new JsonWalk(document);
      taken(walk, document, seen);
      walk.end();
      return seen;
    } catch (JsonWalk.Malformed e) {
      return null;
    }
  }

  private static void taken(JsonWalk walk, byte[] document, List<String> to) {
    switch (walk.kind()) {
      case OBJECT -> {
        to.add("{");
        for (walk.object(); walk.field(); ) {
          to.add(walk.name());
          taken(walk, document, to);
        }
        to.add("}");
      }
      case ARRAY -> {
        to.add("[");
        for (walk.array(); walk.element(); ) {
          taken(walk, document, to);
        }
        to.add("]");
      }
      case STRING -> {
        int start = walk.start();
        var text = walk.string();
        // The same once more, to see that its length is told as it is.
        int length = new JsonWalk(document, start, walk.stop() - start).stringLength();
        to.add(length + "=" + text);
      }
      case NUMBER -> {
        walk.count();
        to.add("number");
      }
      case TRUE -> {
        assertThat(walk.isTrue()).isTrue();
        to.add("VALUE_TRUE");
      }
      case FALSE -> {
        assertThat(walk.isTrue()).isFalse();
        to.add("VALUE_FALSE");
      }
      case NULL -> {
        assertThat(walk.says()).isFalse();
        to.add("VALUE_NULL");
      }
    }
  }

  private static boolean skipped(byte[] document) {
    try {
      new JsonWalk(document).end();
      return true;
    } catch (JsonWalk.Malformed e) {
      return false;
    }
  }

  /** Every other field and element is left where it is, and what is taken is taken for a string. */
  private static boolean halfTaken(byte[] document) {
    try {
      var walk = new JsonWalk(document);
      halfTaken(walk, new int[1]);
      walk.end();
      return true;
    } catch (JsonWalk.Malformed e) {
      return false;
    }
  }

  private static void halfTaken(JsonWalk walk, int[] turn) {
    switch (turn[0]++ % 5) {
      case 0, 1 -> {
        for (walk.object(); walk.field(); ) {
          halfTaken(walk, turn);
        }
      }
      case 2 -> {
        for (walk.array(); walk.element(); ) {
          halfTaken(walk, turn);
        }
      }
      case 3 -> walk.string();
      default -> {}
    }
  }

  private static byte[] mistaken(byte[] document, Random random) {
    var out = document.clone();
    for (int i = 1 + random.nextInt(2); i > 0 && out.length > 0; i--) {
      int at = random.nextInt(out.length);
      switch (random.nextInt(4)) {
        case 0 -> out[at] = (byte) random.nextInt(256);
        case 1 -> out[at] = SUSPECTS[random.nextInt(SUSPECTS.length)];
        case 2 -> {
          var less = new byte[out.length - 1];
          System.arraycopy(out, 0, less, 0, at);
          System.arraycopy(out, at + 1, less, at, less.length - at);
          out = less;
        }
        default -> {
          var more = new byte[out.length + 1];
          System.arraycopy(out, 0, more, 0, at);
          more[at] = SUSPECTS[random.nextInt(SUSPECTS.length)];
          System.arraycopy(out, at, more, at + 1, out.length - at);
          out = more;
        }
      }
    }
    return out;
  }

  /** Documents such as nobody would write, all of them JSON. */
  private static final class RandomJson {
    private static final String[] PIECES = {
      "a",
      "word ",
      "é",
      "日本",
      "👩",
      "\\n",
      "\\\"",
      "\\\\",
      "\\/",
      "\\u00e9",
      "\\uD83D\\ude00",
      "\\ud800",
      "{",
      "}",
      "[",
      ",",
      ":",
      "data: ",
      "\u007f",
      "\u2028",
      "\u00a0",
      "plain text of some length "
    };
    private static final String[] NUMBERS = {
      "0",
      "-0",
      "1",
      "42",
      "-7",
      "3.25",
      "1e5",
      "1E-7",
      "-2.5e+10",
      "1700000000",
      "99999999999999999999"
    };
    private static final String[] NAMES = {
      "id",
      "choices",
      "delta",
      "content",
      "usage",
      "é",
      "a\\nb",
      "\\u0069d",
      "",
      "a name of more than forty-eight bytes, kept by nobody"
    };
    private final Random random;
    private final StringBuilder out = new StringBuilder();

    RandomJson(Random random) {
      this.random = random;
    }

    byte[] bytes() {
      value(0);
      blank();
      return out.toString().getBytes(UTF_8);
    }

    private void value(int depth) {
      blank();
      switch (random.nextInt(depth > 4 ? 5 : 9)) {
        case 0 -> out.append(NUMBERS[random.nextInt(NUMBERS.length)]);
        case 1 -> out.append("true");
        case 2 -> out.append("null");
        case 3, 4 -> string();
        case 5 -> {
          out.append('[');
          for (int i = random.nextInt(4); i > 0; i--) {
            value(depth + 1);
            blank();
            out.append(i > 1 ? "," : "");
          }
          blank();
          out.append(']');
        }
        default -> {
          out.append('{');
          for (int i = random.nextInt(5); i > 0; i--) {
            blank();
            out.append('"').append(NAMES[random.nextInt(NAMES.length)]).append('"');
            blank();
            out.append(':');
            value(depth + 1);
            blank();
            out.append(i > 1 ? "," : "");
          }
          blank();
          out.append('}');
        }
      }
    }

    private void string() {
      out.append('"');
      for (int i = random.nextInt(6); i > 0; i--) {
        out.append(PIECES[random.nextInt(PIECES.length)]);
      }
      out.append('"');
    }

    private void blank() {
      if (random.nextInt(8) == 0) {
        out.append(" \n\r\t".charAt(random.nextInt(4)));
      }
    }
  }
}
