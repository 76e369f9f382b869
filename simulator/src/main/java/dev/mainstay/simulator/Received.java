package dev.mainstay.simulator;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/**
 * A request that the simulator has received, as far as it has gone.
 *
 * @param number from 1, in order of arrival
 * @param at when it arrived
 * @param request what was asked for
 * @param delivery how it came
 * @param answer what it got so far
 */
public record Received(
    int number, Instant at, Request request, Delivery delivery, Progress answer) {

  /**
   * What was asked for.
   *
   * @param dialect its format: openai-chat, openai-responses, openai-embeddings, mistral,
   *     anthropic, gemini
   * @param provider the part of the path before the API's own, possibly empty
   * @param model as asked for
   * @param stream whether events were asked for
   * @param body as received, up to 1 MiB; not part of the log over HTTP unless asked for
   */
  public record Request(
      String dialect, String provider, String model, boolean stream, String body) {}

  /**
   * How a request came.
   *
   * @param path with the query, without a key in it
   * @param key the first 12 hex digits of the SHA-256 of the key, or empty: the key itself is not
   *     kept
   * @param headers by lower-case name; those that carry secrets hold such digits instead
   * @param bodyHash the first 12 hex digits of the SHA-256 of the whole body
   */
  public record Delivery(String path, String key, Map<String, String> headers, String bodyHash) {}

  /**
   * How far the answer has gone.
   *
   * @param step what the request got: a step's name
   * @param status of the answer, 0 while there is none
   * @param events parts of the body sent so far
   * @param ending how it ended so far
   * @param millis from arrival to ending, or to now
   */
  public record Progress(String step, int status, int events, Ending ending, long millis) {}

  /** The body of the request, as received, up to 1 MiB. */
  public String body() {
    return request.body();
  }

  /** The status of the answer, 0 while there is none. */
  public int status() {
    return answer.status();
  }

  /** How a request ended. */
  public enum Ending {
    /** It is being answered. */
    RUNNING,
    /** The answer was sent whole, as the script has it. */
    ANSWERED,
    /** The client left before that. */
    CLIENT_LEFT,
    /** The connection was closed in the middle, as the script has it. */
    CUT,
    /** The connection was reset, as the script has it. */
    RESET;

    /** As it stands in the log over HTTP. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
