package dev.mainstay.wire.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Walks JSON bytes token by token, with Jackson: where something is taken apart. What is in the way
 * of every request and answer is walked by {@link JsonWalk}. Thread-safe; the parsers are not.
 */
public final class Json {
  /** Deeper nesting than any API documents; bounds the stack of whoever reads the body after us. */
  private static final int MAX_DEPTH = 512;

  /**
   * Values, names and brackets of one text. As a tree each takes some hundred bytes, however few it
   * has in the text; a tree may take an eighth of the largest heap.
   */
  private static final long MAX_TOKENS =
      Math.max(100_000, Runtime.getRuntime().maxMemory() / 8 / 100);

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxTokenCount(MAX_TOKENS)
                  .build())
          .build();

  private Json() {}

  /** A parser before the first token of {@code length} bytes from {@code offset}. */
  public static JsonParser parser(byte[] bytes, int offset, int length) {
    return FACTORY.createParser(ObjectReadContext.empty(), bytes, offset, length);
  }

  public static JsonParser parser(byte[] bytes) {
    return parser(bytes, 0, bytes.length);
  }

  /** Visits a field: {@code p} stands on the first token of its value. */
  @FunctionalInterface
  public interface Field {
    void visit(String name, JsonParser p);
  }

  /** Visits an element: {@code p} stands on its first token. */
  @FunctionalInterface
  public interface Element {
    void visit(JsonParser p);
  }

  /**
   * Visits the fields of the object that {@code p} stands on; anything else is skipped. A visitor
   * may read its value or leave it; {@code p} ends on the object's last token.
   */
  public static void fields(JsonParser p, Field field) {
    if (p.currentToken() != JsonToken.START_OBJECT) {
      p.skipChildren();
      return;
    }
    for (String name = p.nextName(); name != null; name = p.nextName()) {
      p.nextToken();
      field.visit(name, p);
      p.skipChildren();
    }
  }

  /** Visits the elements of the array that {@code p} stands on; anything else is skipped. */
  public static void elements(JsonParser p, Element element) {
    if (p.currentToken() != JsonToken.START_ARRAY) {
      p.skipChildren();
      return;
    }
    for (var t = p.nextToken(); t != JsonToken.END_ARRAY && t != null; t = p.nextToken()) {
      element.visit(p);
      p.skipChildren();
    }
  }

  /** The string {@code p} stands on, or null where it is none. */
  public static @Nullable String string(JsonParser p) {
    return p.currentToken() == JsonToken.VALUE_STRING ? p.getString() : null;
  }

  /** The offset at which the current token starts. */
  public static int start(JsonParser p) {
    return (int) p.currentTokenLocation().getByteOffset();
  }

  /** Reads the value {@code p} stands on to its end and says where that is. */
  public static int end(JsonParser p) {
    p.skipChildren();
    p.finishToken();
    return (int) p.currentLocation().getByteOffset();
  }
}
