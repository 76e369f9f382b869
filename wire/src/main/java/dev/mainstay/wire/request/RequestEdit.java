package dev.mainstay.wire.request;

import dev.mainstay.wire.json.Quote;
import dev.mainstay.wire.json.Span;
import dev.mainstay.wire.json.Span.Replacement;
import dev.mainstay.wire.json.Spliced;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;

/** The only edits the gateway makes to a request that stays in its dialect. */
public final class RequestEdit {
  private static final byte[] TRUE = ascii("true");

  private RequestEdit() {}

  /**
   * {@code body} with another model and, where asked for, a last chunk with the usage; every other
   * byte as it was.
   *
   * @param model the model of the target; not written where the body names it already or names none
   * @param askForUsage whether to set {@code stream_options.include_usage} where it is not true yet
   */
  public static Spliced apply(byte[] body, RequestHead head, String model, boolean askForUsage) {
    var edits = new ArrayList<Replacement>(2);
    if (head.modelSpan() != null && !model.equals(head.model())) {
      edits.add(new Replacement(head.modelSpan(), Quote.bytes(model)));
    }
    if (!head.modelAgain().isEmpty()) {
      byte[] name = Quote.bytes("models/" + model);
      for (var span : head.modelAgain()) {
        if (!Arrays.equals(body, span.start(), span.end(), name, 0, name.length)) {
          edits.add(new Replacement(span, name));
        }
      }
    }
    if (askForUsage && !Boolean.TRUE.equals(head.includeUsage())) {
      edits.add(usage(body, head));
    }
    edits.sort(Comparator.comparingInt(edit -> edit.span().start()));
    return new Spliced(body, edits);
  }

  private static Replacement usage(byte[] body, RequestHead head) {
    if (head.includeUsageSpan() != null) {
      return new Replacement(head.includeUsageSpan(), TRUE);
    }
    var options = head.streamOptions();
    if (options == null) {
      int at = head.firstField();
      return new Replacement(
          new Span(at, at),
          ascii("\"stream_options\":{\"include_usage\":true}" + (head.empty() ? "" : ",")));
    }
    if (body[options.start()] != '{') {
      return new Replacement(options, ascii("{\"include_usage\":true}"));
    }
    int at = options.start() + 1;
    boolean none = isBlank(body, at, options.end() - 1);
    return new Replacement(new Span(at, at), ascii("\"include_usage\":true" + (none ? "" : ",")));
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
