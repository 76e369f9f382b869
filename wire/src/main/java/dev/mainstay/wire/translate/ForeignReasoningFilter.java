package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes out of a request what an answer of another dialect left in the conversation. A client sends
 * reasoning back as it got it, and a provider refuses reasoning that it has not signed itself: so a
 * conversation that was answered by one dialect and goes on, untranslated, with another must go
 * without it. What a provider signed itself is never touched.
 */
public final class ForeignReasoningFilter {
  private static final byte[] MARK = Seals.MARK.getBytes(StandardCharsets.US_ASCII);

  private static final boolean[] IN_MARK = inMark();

  private ForeignReasoningFilter() {}

  private static boolean[] inMark() {
    var in = new boolean[256];
    for (byte b : MARK) {
      in[b] = true;
    }
    return in;
  }

  /**
   * Whether {@code request} may hold anything to take out: a fast look, without parsing, that every
   * request can afford. The mark covers one of any bytes as far apart as it is long, and a second
   * one beside it, so only those are looked at.
   */
  public static boolean in(byte[] request) {
    int length = request.length;
    for (int at = MARK.length - 1; at < length; at += MARK.length) {
      if (IN_MARK[request[at] & 0xff]
          && (IN_MARK[request[at - 1] & 0xff]
              || (at + 1 < length && IN_MARK[request[at + 1] & 0xff]))
          && covers(request, at)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a mark covers the byte at {@code at}. */
  private static boolean covers(byte[] request, int at) {
    int end = request.length - MARK.length;
    for (int start = Math.max(0, at + 1 - MARK.length); start <= Math.min(at, end); start++) {
      if (Arrays.equals(request, start, start + MARK.length, MARK, 0, MARK.length)) {
        return true;
      }
    }
    return false;
  }

  /**
   * {@code request} without it; the very same bytes where there is none, or where they are no JSON
   * object.
   *
   * @param dialect of the request and of the target it goes to
   */
  public static byte[] without(Dialect dialect, byte[] request) {
    if (!in(request)) {
      return request;
    }
    try {
      var body = Tree.read(request, 0, request.length);
      switch (dialect) {
        case ANTHROPIC -> anthropic(body.path("messages"));
        case OPENAI_RESPONSES ->
            remove(body.path("input"), item -> marked(item, "encrypted_content"));
        case GEMINI -> body.path("contents").forEach(content -> gemini(content.path("parts")));
        case OPENAI_CHAT, MISTRAL -> body.path("messages").forEach(ForeignReasoningFilter::chat);
      }
      return Tree.write(body).getBytes(StandardCharsets.UTF_8);
    } catch (JacksonException e) {
      return request;
    }
  }

  private static void anthropic(JsonNode messages) {
    for (var message : messages) {
      var content = message.path("content");
      remove(content, block -> marked(block, "signature") || marked(block, "data"));
      for (var block : content) {
        if (block instanceof ObjectNode fields && fields.path("citations").isArray()) {
          remove(fields.get("citations"), citation -> marked(citation, "encrypted_index"));
          if (fields.path("citations").isEmpty()) {
            fields.remove("citations");
          }
        }
      }
    }
    // A message that held nothing else; Anthropic refuses one without content.
    remove(
        messages,
        message -> message.path("content").isArray() && message.path("content").isEmpty());
  }

  private static void gemini(JsonNode parts) {
    remove(
        parts, part -> marked(part, "thoughtSignature") && part.path("thought").asBoolean(false));
    for (var part : parts) {
      for (var name : new String[] {"thoughtSignature", "thought_signature"}) {
        if (part instanceof ObjectNode fields && marked(fields, name)) {
          fields.remove(name);
        }
      }
    }
  }

  private static void chat(JsonNode message) {
    var details = message.path("reasoning_details");
    remove(details, detail -> marked(detail, "data"));
    if (details.isArray() && details.isEmpty() && message instanceof ObjectNode fields) {
      fields.remove("reasoning_details");
    }
    if (message.path("content") instanceof ArrayNode content && message instanceof ObjectNode own) {
      thoughts(content);
      if (content.isEmpty()) {
        own.put("content", "");
      }
    }
  }

  /** Mistral's thinking chunks with another's signature, and those before them that it signs. */
  private static void thoughts(ArrayNode content) {
    boolean signed = false;
    for (int i = content.size() - 1; i >= 0; i--) {
      var block = content.get(i);
      boolean thinking = Tree.text(block, "type").equals("thinking");
      boolean mark = thinking && marked(block, "signature");
      boolean goes = mark || (signed && thinking && !block.has("signature"));
      signed = goes;
      if (goes) {
        content.remove(i);
      }
    }
  }

  private static boolean marked(JsonNode node, String field) {
    return Tree.text(node, field).startsWith(Seals.MARK);
  }

  private static void remove(JsonNode list, Predicate<JsonNode> which) {
    if (list instanceof ArrayNode array) {
      for (int i = array.size() - 1; i >= 0; i--) {
        if (which.test(array.get(i))) {
          array.remove(i);
        }
      }
    }
  }
}
