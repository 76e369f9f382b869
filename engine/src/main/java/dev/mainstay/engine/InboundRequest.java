package dev.mainstay.engine;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.config.Client;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.request.RequestHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A model request in the bytes of a dialect, before the engine has routed it.
 *
 * @param id of the call
 * @param input what it asks for: the model and the body
 * @param origin who sent it and from where
 * @param limits what the caller grants
 * @param toProvider headers of the client that go on to the provider, by lower-case name
 * @param record whether its bodies may be kept
 * @param resend how the engine recognises the same request when it comes again
 * @param durable the request as the ledger keeps it, where it must not be lost; else null
 * @param settings changes how the call is carried out; identity for the route's own settings
 */
public record InboundRequest(
    String id,
    Input input,
    Origin origin,
    Limits limits,
    Map<String, String> toProvider,
    boolean record,
    Resend resend,
    KeptCalls.@Nullable Request durable,
    UnaryOperator<CallSettings> settings) {

  /** Characters of a model's, run's or parent's name: twice the longest that providers give. */
  public static final int LONGEST_NAME = 256;

  /** What it asks for. */
  public Operation operation() {
    return input.operation;
  }

  /** The dialect that its client speaks. */
  public Dialect dialect() {
    return input.dialect;
  }

  /**
   * What a request says.
   *
   * @param operation what it asks for
   * @param dialect the one its client speaks
   * @param model as the client wrote it
   * @param head what was read of the body
   * @param body its bytes; not to be changed any more
   * @param stream whether the client asked for a stream
   */
  @SuppressWarnings("ArrayRecordComponent") // a request's body is never copied
  public record Input(
      Operation operation,
      Dialect dialect,
      String model,
      RequestHead head,
      byte[] body,
      boolean stream) {}

  /**
   * Where a request comes from.
   *
   * @param client null where no keys are configured
   * @param path as the client asked; for the record
   * @param query as the client asked
   * @param openAiSdk whether the client is one of OpenAI's own SDKs, which refuse what OpenAI would
   *     not answer
   * @param via the gateways it has come through, this one included
   * @param run the run it belongs to, or null
   * @param parent the call or step that made it, or null
   */
  public record Origin(
      @Nullable Client client,
      String path,
      String query,
      boolean openAiSdk,
      String via,
      @Nullable String run,
      @Nullable String parent) {

    /** The client's name, or "" where none is needed. */
    public String clientName() {
      return client == null ? "" : client.name();
    }
  }

  /**
   * How the same request is recognised when it comes again.
   *
   * @param idempotencyKey the client's key, or null
   * @param sdkRetry the number of this retry by the client's SDK, 0 for its first request; null
   *     where the SDK does not say
   * @param lastEventId the last event of the stream that the client has, or null
   */
  public record Resend(
      @Nullable String idempotencyKey, @Nullable Integer sdkRetry, @Nullable String lastEventId) {
    /** The request is never recognised. */
    public static final Resend NONE = new Resend(null, null, null);
  }

  /** Why the request is refused unread: a name in it is too long; null where none is. */
  @Nullable CallRefusal refusal() {
    var refusal = tooLong("model", input.model());
    refusal = refusal == null ? tooLong("x-mainstay-run", origin.run()) : refusal;
    return refusal == null ? tooLong("x-mainstay-parent", origin.parent()) : refusal;
  }

  private static @Nullable CallRefusal tooLong(String what, @Nullable String name) {
    return name == null || name.length() <= LONGEST_NAME
        ? null
        : CallRefusal.tooLong(what, name.length(), LONGEST_NAME);
  }

  /** The client's name, or "" where none is needed. */
  public String clientName() {
    return origin.clientName();
  }

  /** The SHA-256 of where the request was sent and what it says, in hex. */
  public String hash() {
    return hash(origin.path(), origin.query(), input.body());
  }

  /** The SHA-256 of where a request was sent and what it says, in hex. */
  public static String hash(String path, String query, byte[] body) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      digest.update((path + '?' + query + '\n').getBytes(StandardCharsets.UTF_8));
      digest.update(body);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
