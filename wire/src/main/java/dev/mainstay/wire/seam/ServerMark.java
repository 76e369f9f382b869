package dev.mainstay.wire.seam;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the servers that people run themselves show of themselves in every chunk of a stream. In a
 * text the quotes around a name would be escaped.
 *
 * <ul>
 *   <li>vLLM: {@code token_ids}; it goes on with a message by {@code continue_final_message}
 *       (docs.vllm.ai/en/latest/serving/openai_compatible_server.html).
 *   <li>SGLang: {@code matched_stop}; the same (github.com/sgl-project/sglang/pull/4226).
 *   <li>llama.cpp: {@code "system_fingerprint":"b6123-…"}, its build; it goes on with a message at
 *       the end by itself (github.com/ggml-org/llama.cpp/pull/13174).
 * </ul>
 */
final class ServerMark {
  /** As much of a stream as is looked at. */
  private static final int ENOUGH = 16_384;

  /** Well after the build that brought it, b5215. */
  private static final int LLAMA_BUILD = 5_500;

  private static final String FINGERPRINT = "\"system_fingerprint\":\"b";

  private ServerMark() {}

  /** How the server takes up an answer, or null where nothing tells. */
  static @Nullable Prefill of(byte[] stream) {
    var text = new String(stream, 0, Math.min(stream.length, ENOUGH), StandardCharsets.ISO_8859_1);
    if (text.contains("\"token_ids\":") || text.contains("\"matched_stop\":")) {
      return Prefill.CONTINUE_FLAG;
    }
    int at = text.indexOf(FINGERPRINT);
    return at >= 0 && build(text, at + FINGERPRINT.length()) >= LLAMA_BUILD
        ? Prefill.LAST_MESSAGE
        : null;
  }

  /** The number from {@code from} up to a hyphen, or 0. */
  private static int build(String text, int from) {
    int end = from;
    while (end < text.length() && end < from + 9 && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return end > from && end < text.length() && text.charAt(end) == '-'
        ? Integer.parseInt(text.substring(from, end))
        : 0;
  }
}
