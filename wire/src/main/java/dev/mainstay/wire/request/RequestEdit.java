package dev.mainstay.wire.request;

import dev.mainstay.wire.json.ByteSpan;
import dev.mainstay.wire.json.ByteSpan.Replacement;
import dev.mainstay.wire.json.JsonStrings;
import dev.mainstay.wire.json.SplicedBytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The only edits the gateway makes to a request that stays in its dialect. */
public final class RequestEdit {
  /** What becomes of {@code stream_options}. */
  public enum StreamUsage {
    AS_IT_IS,
    /** {@code include_usage} is set where it is not true yet. */
    ASKED,
    /**
     * It is taken out: Mistral refuses it ("Extra inputs are not permitted") and tells the usage of
     * every stream in its last chunk.
     */
    NO_OPTIONS
  }

  private static final byte[] TRUE = ascii("true");
  private static final byte[] STREAM_OPTIONS = ascii("\"stream_options\"");

  private RequestEdit() {}

  /**
   * {@code body} with another model and other {@code stream_options} where these are wanted; every
   * other byte as it was.
   *
   * @param model the model of the target; not written where the body names it already or names none
   */
  public static SplicedBytes apply(byte[] body, RequestHead head, String model, StreamUsage usage) {
    var edits = new ArrayList<Replacement>(2);
    if (head.modelSpan() != null && !model.equals(head.model())) {
      edits.add(new Replacement(head.modelSpan(), JsonStrings.bytes(model)));
    }
    if (!head.modelAgain().isEmpty()) {
      byte[] name = JsonStrings.bytes("models/" + model);
      for (var span : head.modelAgain()) {
        if (!Arrays.equals(body, span.start(), span.end(), name, 0, name.length)) {
          edits.add(new Replacement(span, name));
        }
      }
    }
    switch (usage) {
      case AS_IT_IS -> {}
      case ASKED -> {
        if (!Boolean.TRUE.equals(head.includeUsage())) {
          edits.add(usage(body, head));
        }
      }
      case NO_OPTIONS -> {
        var options = head.streamOptions();
        var member = options == null ? null : member(body, options);
        if (member != null) {
          edits.add(new Replacement(member, new byte[0]));
        }
      }
    }
    edits.sort(Comparator.comparingInt(edit -> edit.span().start()));
    return new SplicedBytes(body, edits);
  }

  private static Replacement usage(byte[] body, RequestHead head) {
    if (head.includeUsageSpan() != null) {
      return new Replacement(head.includeUsageSpan(), TRUE);
    }
    var options = head.streamOptions();
    if (options == null) {
      int at = head.firstField();
      return new Replacement(
          new ByteSpan(at, at),
          ascii("\"stream_options\":{\"include_usage\":true}" + (head.empty() ? "" : ",")));
    }
    if (body[options.start()] != '{') {
      return new Replacement(options, ascii("{\"include_usage\":true}"));
    }
    int at = options.start() + 1;
    boolean none = isBlank(body, at, options.end() - 1);
    return new Replacement(
        new ByteSpan(at, at), ascii("\"include_usage\":true" + (none ? "" : ",")));
  }

  /** The field with this value, and the comma after it or else before it; null where not found. */
  private static @Nullable ByteSpan member(byte[] body, ByteSpan value) {
    int length = STREAM_OPTIONS.length;
    int start = value.start() - length;
    while (start > 0 && !Arrays.equals(body, start, start + length, STREAM_OPTIONS, 0, length)) {
      start--;
    }
    if (start <= 0) {
      return null;
    }
    int end = value.end();
    while (body[end] <= ' ') {
      end++;
    }
    if (body[end] == ',') {
      return new ByteSpan(start, end + 1);
    }
    int before = start - 1;
    while (body[before] <= ' ') {
      before--;
    }
    return new ByteSpan(body[before] == ',' ? before : start, value.end());
  }

  private static boolean isBlank(byte[] body, int from, int to) {
    for (int i = from; i < to; i++) {
      if (body[i] > ' ') {
        return false;
      }
    }
    return true;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
