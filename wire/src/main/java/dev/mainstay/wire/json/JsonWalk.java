package dev.mainstay.wire.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Walks the bytes of one JSON value once, from front to back, and gives out the few things that are
 * asked for. It is what every request and every event of every stream goes through, so it is
 * written for that alone:
 *
 * <ul>
 *   <li>What nobody asks for is stepped over, and checked no less for that: whatever this class
 *       lets pass, Jackson reads, and the other way round ({@code JsonWalkTest} holds the two
 *       together over random documents with random mistakes). A broken event must not pass for a
 *       whole one because nobody looked at the broken part.
 *   <li>Nearly all bytes are inside of strings. Eight at a time are looked at there: a few
 *       instructions find those that end a string or need a second look, as in G. Langdale's and D.
 *       Lemire's "Parsing gigabytes of JSON per second" (2019), of which this is the part that
 *       plain Java can say.
 *   <li>Nothing is allocated on the way but the strings asked for, and not even these where they
 *       are words that come again and again ({@link InternedStrings}): names of fields, types,
 *       roles.
 * </ul>
 *
 * <p>The walk stands before a value or in one it has entered. A value is taken by the one method
 * that says what it is expected to be; where it is something else, it is stepped over, and the
 * answer is the one that stands for "none". What is not taken is stepped over by itself:
 *
 * <pre>
 * for (walk.object(); walk.field(); ) {
 *   switch (walk.name()) {
 *     case "model" -> model = walk.string();
 *     case "choices" -> {
 *       for (walk.array(); walk.element(); ) choice(walk);
 *     }
 *     default -> {}
 *   }
 * }
 * walk.end();
 * </pre>
 *
 * <p>A loop once begun has to be walked to its end. Not thread-safe; one walk is for one value.
 */
public final class JsonWalk {
  /** Deeper nesting than any API documents; bounds the stack of whoever reads the body after us. */
  static final int MAX_DEPTH = 512;

  /** Digits of a number; whoever reads it after us would refuse more, too. */
  static final int MAX_NUMBER = 1000;

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long TWOS = 2 * ONES;
  private static final long AFTER_BLANKS = (' ' + 1) * ONES;
  private static final long BACKSLASHES = '\\' * ONES;

  /** What a value is. */
  public enum Kind {
    OBJECT,
    ARRAY,
    STRING,
    NUMBER,
    TRUE,
    FALSE,
    NULL
  }

  /** The bytes are not JSON. */
  public static final class Malformed extends RuntimeException {
    private final int line;
    private final int column;

    private Malformed(int line, int column) {
      // Thrown on what others sent: nobody asks where in here, and a trace costs more than a walk.
      super(
          String.format(Locale.ROOT, "no JSON at line %d, column %d", line, column),
          null,
          false,
          false);
      this.line = line;
      this.column = column;
    }

    /** The line on which it is seen, from 1. */
    public int line() {
      return line;
    }

    /** The byte of that line, from 1. */
    public int column() {
      return column;
    }
  }

  private final byte[] bytes;
  private final int from;
  private final int end;
  private int at;
  private int depth;

  /** A value comes next and has not been taken. */
  private boolean unread = true;

  /** The loop that begins is over no object or array: it ends at once. */
  private boolean none;

  /** The object or array was just entered: no comma comes first. */
  private boolean first;

  private String name = "";

  private final @Nullable WatchedNames watched;
  private boolean met;

  // Of the string that was stepped over last: where it is, and what its text is shorter by.
  private int textStart;
  private int textEnd;
  private int shorter;
  private boolean escaped;

  /** Before the value in {@code length} bytes from {@code offset}; a byte order mark is ignored. */
  public JsonWalk(byte[] bytes, int offset, int length) {
    this(bytes, offset, length, null);
  }

  private JsonWalk(byte[] bytes, int offset, int length, @Nullable WatchedNames watched) {
    this.bytes = bytes;
    this.watched = watched;
    from = offset;
    end = offset + length;
    at = offset;
    if (length >= 3
        && bytes[at] == (byte) 0xef
        && bytes[at + 1] == (byte) 0xbb
        && bytes[at + 2] == (byte) 0xbf) {
      at += 3;
    }
  }

  public JsonWalk(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** Before the value in {@code bytes}, to tell afterwards whether it {@link #met} a name. */
  public JsonWalk(byte[] bytes, WatchedNames watched) {
    this(bytes, 0, bytes.length, watched);
  }

  /**
   * Whether a watched name has come by, at any depth and stepped over or not. A name with an escape
   * in it counts as one.
   */
  public boolean met() {
    return met;
  }

  // ---- objects and arrays

  /** What comes next; it is still to be taken. */
  public Kind kind() {
    return switch (token()) {
      case '{' -> Kind.OBJECT;
      case '[' -> Kind.ARRAY;
      case '"' -> Kind.STRING;
      case 't' -> Kind.TRUE;
      case 'f' -> Kind.FALSE;
      case 'n' -> Kind.NULL;
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> Kind.NUMBER;
      default -> throw malformed();
    };
  }

  /**
   * Enters the object that comes next, for {@link #field}; where it is none, that finds nothing.
   */
  public void object() {
    enter('{');
  }

  /** Enters the array that comes next, for {@link #element}; likewise. */
  public void array() {
    enter('[');
  }

  private void enter(char bracket) {
    if (token() != bracket) {
      skip();
      none = true;
      return;
    }
    deeper();
    unread = false;
    first = true;
  }

  /** Goes to the next field; false where the object ends, which is left then. */
  public boolean field() {
    if (!next('}')) {
      return false;
    }
    nameAndColon();
    name = word();
    unread = true;
    return true;
  }

  /** The name of the field whose value comes next. */
  public String name() {
    return name;
  }

  /** Goes to the next element; false where the array ends, which is left then. */
  public boolean element() {
    if (!next(']')) {
      return false;
    }
    unread = true;
    return true;
  }

  private boolean next(char bracket) {
    if (none) {
      none = false;
      return false;
    }
    if (unread) {
      skip();
    }
    int b = token();
    if (b == bracket) {
      at++;
      depth--;
      first = false;
      return false;
    }
    if (first) {
      first = false;
    } else if (b == ',') {
      at++;
    } else {
      throw malformed();
    }
    return true;
  }

  private void deeper() {
    if (++depth > MAX_DEPTH) {
      throw malformed();
    }
    at++;
  }

  // ---- values

  /** The string that comes next, or null where it is none. */
  public @Nullable String string() {
    return takeString() ? text() : null;
  }

  /** As {@link #string}, for one of a few words that come again and again. */
  public @Nullable String oftenString() {
    return takeString() ? word() : null;
  }

  /** The length of the string that comes next, in chars, or -1 where it is none. */
  public int stringLength() {
    return takeString() ? textEnd - textStart - shorter : -1;
  }

  /** Whether the string {@code ascii} comes next. */
  public boolean is(String ascii) {
    return takeString()
        && (escaped
            ? text().equals(ascii)
            : InternedStrings.same(ascii, bytes, textStart, textEnd));
  }

  private boolean takeString() {
    if (token() != '"') {
      skip();
      return false;
    }
    string0();
    unread = false;
    return true;
  }

  /** Whether {@code true} comes next. */
  public boolean isTrue() {
    boolean is = token() == 't';
    skip();
    return is;
  }

  /** The largest {@link #count}, 2^53: sums of a thousand such counts stay within a long. */
  public static final long MOST_COUNT = 1L << 53;

  /**
   * The number that comes next, not below 0, without its fraction, {@link #MOST_COUNT} where it is
   * larger; 0 where it is none.
   */
  public long count() {
    int b = token();
    int start = at;
    skip();
    if (b < '0' || b > '9') {
      return 0;
    }
    long value = 0;
    for (int i = start; i < at; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
        return unusual(start);
      }
      value = value * 10 + digit;
    }
    return Math.min(value, MOST_COUNT);
  }

  /**
   * The number that comes next, rounded up: the most that a reader who rounds makes of it. A value
   * beyond the range of a long is the nearest long; one that is no number is 0.
   */
  public long ceiling() {
    int b = token();
    int start = at;
    skip();
    if (b != '-' && (b < '0' || b > '9')) {
      return 0;
    }
    // A cast of a double saturates.
    return (long)
        Math.ceil(
            Double.parseDouble(new String(bytes, start, at - start, StandardCharsets.US_ASCII)));
  }

  /** A number with a fraction or an exponent, or a very large one. */
  private long unusual(int start) {
    double value =
        Double.parseDouble(new String(bytes, start, at - start, StandardCharsets.US_ASCII));
    return (long) Math.min(value, MOST_COUNT);
  }

  /** Whether a value comes next that says something: not null, "", [] or {}. */
  public boolean says() {
    switch (token()) {
      case '"' -> {
        return stringLength() > 0;
      }
      case '{', '[' -> {
        int inside = at + 1;
        while (inside < end && blank(bytes[inside])) {
          inside++;
        }
        skip();
        return inside < at - 1;
      }
      case 'n' -> {
        skip();
        return false;
      }
      default -> {
        skip();
        return true;
      }
    }
  }

  /** Steps over the value that comes next, if one does, and checks it. */
  public void skip() {
    unread = false;
    value();
  }

  /** Where the value that comes next begins, counted from the first byte of all. */
  public int start() {
    token();
    return at - from;
  }

  /** Where what was taken last ended; what comes next is stepped over before. */
  public int stop() {
    if (unread) {
      skip();
    }
    return at - from;
  }

  /** Nothing but white space may follow the value. */
  public void end() {
    if (unread) {
      skip();
    }
    while (at < end && blank(bytes[at])) {
      at++;
    }
    if (at < end) {
      throw malformed();
    }
  }

  /**
   * For {@link JsonShape}: the index after the text, or number, that begins at the very first byte;
   * -1 where none does.
   */
  int gap(boolean number) {
    // Not where the walk is: a mark of byte order would have been passed.
    int b = bytes[from];
    if (number ? b != '-' && (b < '0' || b > '9') : b != '"') {
      return -1;
    }
    try {
      value();
      return at;
    } catch (Malformed e) {
      return -1;
    }
  }

  /** The length of the text of that gap, in chars. */
  int gapLength() {
    return textEnd - textStart - shorter;
  }

  // ---- the grammar of RFC 8259

  private static boolean blank(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /** The first byte that is not white space, at which the walk then is. */
  private int token() {
    while (at < end) {
      byte b = bytes[at];
      if (!blank(b)) {
        return b;
      }
      at++;
    }
    throw malformed();
  }

  private void value() {
    switch (token()) {
      case '"' -> string0();
      case '{' -> {
        deeper();
        if (token() != '}') {
          pair();
          while (token() == ',') {
            at++;
            pair();
          }
        }
        close('}');
      }
      case '[' -> {
        deeper();
        if (token() != ']') {
          value();
          while (token() == ',') {
            at++;
            value();
          }
        }
        close(']');
      }
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      default -> number();
    }
  }

  private void pair() {
    nameAndColon();
    value();
  }

  private void nameAndColon() {
    if (token() != '"') {
      throw malformed();
    }
    string0();
    if (shorter > 0 && !everyCharacterIsOne()) {
      throw malformed();
    }
    if (watched != null && !met) {
      met = escaped || watched.have(bytes, textStart, textEnd);
    }
    if (token() != ':') {
      throw malformed();
    }
    at++;
  }

  private void close(char bracket) {
    if (token() != bracket) {
      throw malformed();
    }
    at++;
    depth--;
  }

  private void literal(String word) {
    if (end - at < word.length() || !InternedStrings.same(word, bytes, at, at + word.length())) {
      throw malformed();
    }
    at += word.length();
  }

  private void number() {
    int start = at;
    if (bytes[at] == '-') {
      at++;
    }
    if (at < end && bytes[at] == '0') {
      at++;
    } else {
      digits();
    }
    if (at < end && bytes[at] == '.') {
      at++;
      digits();
    }
    if (at < end && (bytes[at] | 0x20) == 'e') {
      at++;
      if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
        at++;
      }
      digits();
    }
    if (at - start > MAX_NUMBER) {
      throw malformed();
    }
  }

  private void digits() {
    int start = at;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      at++;
    }
    if (at == start) {
      throw malformed();
    }
  }

  // ---- strings

  /** Steps over the string at whose first quote the walk is. */
  private void string0() {
    shorter = 0;
    escaped = false;
    int i = at + 1;
    textStart = i;
    while (true) {
      i = plain(i);
      if (i == end) {
        at = i;
        throw malformed();
      }
      int b = bytes[i];
      if (b == '"') {
        textEnd = i;
        at = i + 1;
        return;
      }
      if (b == '\\') {
        i = escape(i);
      } else if (b < 0) {
        i = characters(i);
      } else {
        at = i;
        throw malformed();
      }
    }
  }

  /** The first byte from {@code i} on that is not an ASCII character as it stands. */
  private int plain(int i) {
    byte[] in = bytes;
    int last = end - 2 * Long.BYTES;
    while (i <= last) {
      long one = stops((long) EIGHT.get(in, i));
      long other = stops((long) EIGHT.get(in, i + Long.BYTES));
      if ((one | other) != 0) {
        return one != 0
            ? i + (Long.numberOfTrailingZeros(one) >>> 3)
            : i + Long.BYTES + (Long.numberOfTrailingZeros(other) >>> 3);
      }
      i += 2 * Long.BYTES;
    }
    while (i < end && in[i] >= ' ' && in[i] != '"' && in[i] != '\\') {
      i++;
    }
    return i;
  }

  /**
   * The highest bit of each byte that is a quote, a backslash, below a blank, or no ASCII. With its
   * second bit turned, a quote is a blank, and what was below a blank still is: one subtraction
   * finds both. Each borrows from the byte above it, so of the bits set only the lowest is certain.
   */
  private static long stops(long eight) {
    return (((eight ^ TWOS) - AFTER_BLANKS) | ((eight ^ BACKSLASHES) - ONES) | eight) & HIGHS;
  }

  private int escape(int i) {
    escaped = true;
    int b = i + 1 < end ? bytes[i + 1] : 0;
    switch (b) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
        shorter++;
        return i + 2;
      }
      case 'u' -> {
        for (int digit = i + 2; digit < i + 6; digit++) {
          if (digit >= end || Character.digit(bytes[digit], 16) < 0) {
            at = Math.min(digit, end);
            throw malformed();
          }
        }
        shorter += 5;
        return i + 6;
      }
      default -> {
        at = i;
        throw malformed();
      }
    }
  }

  /** Steps over characters of several bytes each: as many as the first one says. */
  private int characters(int i) {
    byte[] in = bytes;
    while (i < end && in[i] < 0) {
      int b = in[i] & 0xff;
      int length = b < 0xc0 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf8 ? 4 : 0;
      // The last one first: it is as many bytes away as there must be.
      if (length == 0
          || end - i < length
          || (in[i + length - 1] & 0xc0) != 0x80
          || (in[i + 1] & 0xc0) != 0x80
          || (length == 4 && (in[i + 2] & 0xc0) != 0x80)) {
        at = i;
        throw malformed();
      }
      // One char in two or three bytes, or two chars in four.
      shorter += length == 2 ? 1 : 2;
      i += length;
    }
    return i;
  }

  /** What is asked of names: none is written longer than it must be, and none is half of one. */
  private boolean everyCharacterIsOne() {
    for (int i = textStart; i < textEnd; i++) {
      int b = bytes[i] & 0xff;
      int next = b < 0xc0 ? 0 : bytes[i + 1] & 0xff;
      boolean one =
          switch (b) {
            case 0xc0, 0xc1 -> false;
            case 0xe0 -> next >= 0xa0;
            case 0xed -> next < 0xa0;
            case 0xf0 -> next >= 0x90;
            case 0xf4 -> next < 0x90;
            default -> b < 0xf5;
          };
      if (!one) {
        return false;
      }
    }
    return true;
  }

  private String word() {
    return escaped ? text() : InternedStrings.of(bytes, textStart, textEnd);
  }

  private String text() {
    var raw = new String(bytes, textStart, textEnd - textStart, StandardCharsets.UTF_8);
    return escaped ? unescaped(raw) : raw;
  }

  private static String unescaped(String raw) {
    var out = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char kind = raw.charAt(++i);
      switch (kind) {
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'n' -> out.append('\n');
        case 'r' -> out.append('\r');
        case 't' -> out.append('\t');
        case 'u' -> {
          out.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
          i += 4;
        }
        default -> out.append(kind);
      }
    }
    return out.toString();
  }

  private Malformed malformed() {
    int line = 1;
    int begin = from;
    for (int i = from; i < at; i++) {
      if (bytes[i] == '\n') {
        line++;
        begin = i + 1;
      }
    }
    return new Malformed(line, at - begin + 1);
  }
}
