package dev.mainstay.wire.continuation;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
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
 *   <li>Ollama: {@code "system_fingerprint":"fp_ollama"}; the same
 *       (github.com/ollama/ollama/issues/6778).
 *   <li>TGI: {@code "system_fingerprint":"3.0.1-sha-…"} or {@code "3.0.1-native"}, its version;
 *       from 3.0 on like vLLM (github.com/huggingface/text-generation-inference/pull/2733).
 * </ul>
 */
final class ServerMark {
  /** As much of a stream as is looked at. */
  private static final int ENOUGH = 16_384;

  /** Well after the build that brought it, b5215. */
  private static final int LLAMA_BUILD = 5_500;

  /** TGI's first version after the one that brought it, 2.4.1. */
  private static final int TGI_VERSION = 3;

  private static final String FINGERPRINT = "\"system_fingerprint\":\"";
  private static final Pattern LLAMA = Pattern.compile("b(\\d{1,9})-");
  private static final Pattern TGI =
      Pattern.compile("(\\d{1,3})\\.\\d+\\.\\d+(?:-dev\\d+)?-(?:sha-|native\")");

  private ServerMark() {}

  /** How the server takes up an answer, or null where nothing tells. */
  static @Nullable Prefill of(byte[] stream) {
    var text = new String(stream, 0, Math.min(stream.length, ENOUGH), StandardCharsets.ISO_8859_1);
    if (text.contains("\"token_ids\":") || text.contains("\"matched_stop\":")) {
      return Prefill.CONTINUE_FLAG;
    }
    int at = text.indexOf(FINGERPRINT);
    if (at < 0) {
      return null;
    }
    int from = at + FINGERPRINT.length();
    if (text.startsWith("fp_ollama\"", from) || number(LLAMA, text, from) >= LLAMA_BUILD) {
      return Prefill.LAST_MESSAGE;
    }
    return number(TGI, text, from) >= TGI_VERSION ? Prefill.CONTINUE_FLAG : null;
  }

  /** The number that {@code what} names where it stands at {@code from}, or 0. */
  private static int number(Pattern what, String text, int from) {
    var found = what.matcher(text).region(from, Math.min(text.length(), from + 64));
    return found.lookingAt() ? Integer.parseInt(found.group(1)) : 0;
  }
}
