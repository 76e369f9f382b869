package dev.mainstay.simulator;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;

/**
 * A request that the simulator has received, as far as it has gone.
 *
 * @param number from 1, in order of arrival
 * @param at when it arrived
 * @param dialect its format: openai-chat, openai-responses, openai-embeddings, mistral, anthropic,
 *     gemini
 * @param provider the part of the path before the API's own, possibly empty
 * @param model as asked for
 * @param path with the query, without a key in it
 * @param stream whether events were asked for
 * @param key the first 12 hex digits of the SHA-256 of the key, or empty: the key itself is not
 *     kept
 * @param headers by lower-case name; those that carry secrets hold such digits instead
 * @param body as received, up to 1 MiB; not part of the log over HTTP unless asked for
 * @param bodyHash the first 12 hex digits of the SHA-256 of the whole body
 * @param step what it got: a step's name
 * @param status of the answer, 0 while there is none
 * @param events parts of the body sent so far
 * @param ending how it ended so far
 * @param millis from arrival to ending, or to now
 */
public record Received(
    int number,
    Instant at,
    String dialect,
    String provider,
    String model,
    String path,
    boolean stream,
    String key,
    Map<String, String> headers,
    String body,
    String bodyHash,
    String step,
    int status,
    int events,
    Ending ending,
    long millis) {

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
