package dev.mainstay.core.failure;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a failure's facts say once everything that wraps them is taken off. Immutable. Names in sets
 * are in lower case.
 *
 * @param facts what it was read from
 * @param status the status that counts: the innermost error's own, else the reply's, else one
 *     written in the text, else what an exception's class name or a gRPC status implies; or null
 * @param names what the failure calls itself
 * @param sender who answered, where a wrapper names it, or null
 * @param message the provider's own words, echoes left out; empty where there are none
 * @param client what the client or the wrappers said around it; empty where there is nothing
 * @param hint the wait that a header or a field of its own states, or null
 * @param now what dates in waits are measured against
 * @param limitZero whether the limit that was hit is zero
 */
public record Evidence(
    Facts facts,
    @Nullable Integer status,
    Names names,
    @Nullable String sender,
    String message,
    String client,
    @Nullable Duration hint,
    Instant now,
    boolean limitZero) {

  /**
   * What a failure calls itself, each in a field of its own.
   *
   * @param codes the provider's codes, reasons and inner codes
   * @param types the provider's types
   * @param grpc the gRPC status, for example {@code resource_exhausted}, or null
   * @param aws the AWS error name, for example {@code throttlingexception}, or null
   * @param param the parameter that the provider names, or null
   * @param finish finish, stop and block reasons
   * @param shapes what the input looked like: {@code html}, {@code truncated}, {@code empty},
   *     {@code json}, {@code anthropic}, {@code google}, {@code event-error}, {@code sentence} (a
   *     few words and no code, type or status name of any provider), …
   */
  public record Names(
      Set<String> codes,
      Set<String> types,
      @Nullable String grpc,
      @Nullable String aws,
      @Nullable String param,
      Set<String> finish,
      Set<String> shapes) {}

  /** The provider's codes, reasons and inner codes. */
  public Set<String> codes() {
    return names.codes;
  }

  /** The provider's types. */
  public Set<String> types() {
    return names.types;
  }

  /** The gRPC status, or null. */
  public @Nullable String grpc() {
    return names.grpc;
  }

  /** The AWS error name, or null. */
  public @Nullable String aws() {
    return names.aws;
  }

  /** The parameter that the provider names, or null. */
  public @Nullable String param() {
    return names.param;
  }

  /** Finish, stop and block reasons. */
  public Set<String> finish() {
    return names.finish;
  }

  /** What the input looked like ({@link Names#shapes}). */
  public Set<String> shapes() {
    return names.shapes;
  }

  /** Reads {@code facts}; {@code now} is what dates in waits are measured against. */
  public static Evidence of(Facts facts, Instant now) {
    return new ErrorUnwrapper(facts, RetryHints.theirNow(facts.headers(), now)).evidence();
  }

  /**
   * The wait the provider asked for, or null: from a header or a field, else from the words, which
   * are read for it each time this is called.
   */
  public @Nullable Duration retryAfter() {
    if (hint != null) {
      return hint;
    }
    var said = RetryHints.inProse(message, now);
    return said == null ? RetryHints.inProse(client, now) : said;
  }

  /**
   * The words that rules look at: the provider's own, or the client's where there are no others.
   */
  public String words() {
    return message.isEmpty() ? client : message;
  }
}
