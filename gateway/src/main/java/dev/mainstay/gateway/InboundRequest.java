package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.wire.request.RequestHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for, read from its exchange, which may be over before the call begins.
 *
 * @param id of the call
 * @param client null where no keys are configured
 * @param path as the client asked
 * @param query as the client asked
 * @param model as the client wrote it
 * @param body its bytes; not to be changed any more
 * @param limits what the caller grants
 * @param stream whether it asked for a stream
 * @param openAiSdk whether the client is one of OpenAI's own SDKs
 * @param toProvider those of its headers that go on, by lower-case name
 * @param via the instances of this gateway it has come through, this one included
 * @param record whether its bodies may be kept
 * @param lasting its request as it is kept, where it must not be lost; else null
 */
@SuppressWarnings("ArrayRecordComponent") // a request's body is never copied
record InboundRequest(
    String id,
    Faces.Face face,
    Config.@Nullable Client client,
    String path,
    String query,
    String model,
    RequestHead head,
    byte[] body,
    Limits limits,
    boolean stream,
    boolean openAiSdk,
    Map<String, String> toProvider,
    String via,
    @Nullable String run,
    @Nullable String parent,
    boolean record,
    KeptCalls.@Nullable Request lasting) {

  /** The client's name, or "" where none is needed. */
  String clientName() {
    return client == null ? "" : client.name();
  }

  /** What a request is known by: where it was sent and what it says. */
  static String hash(String path, String query, byte[] body) {
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
