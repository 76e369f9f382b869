package dev.mainstay.call.api;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.request.RequestHead;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One call to be carried out.
 *
 * @param content what is asked for
 * @param plan where and how it is carried out
 * @param origin whom it comes from
 */
public record CallRequest(Content content, Plan plan, Origin origin) {
  /**
   * What the client asks for.
   *
   * @param dialect in which errors are told
   * @param modelAsked as the client wrote it
   * @param stream whether the client asked for a stream
   * @param openAiSdk whether the client is one of OpenAI's own SDKs, which take no answer that
   *     OpenAI would not give
   * @param head what was read of its body
   * @param body its bytes; not to be changed any more
   */
  @SuppressWarnings("ArrayRecordComponent") // a request's body is never copied
  public record Content(
      Operation operation,
      Dialect dialect,
      @Nullable String modelAsked,
      boolean stream,
      boolean openAiSdk,
      RequestHead head,
      byte[] body) {}

  /**
   * Where and how the call is carried out.
   *
   * @param route its targets in the order in which they are asked
   * @param limits what it may use less of than its settings grant
   * @param recordBodies whether its bodies are kept
   * @param objects what it has to do with objects that its provider keeps
   */
  public record Plan(
      Route route,
      CallSettings settings,
      Limits limits,
      boolean recordBodies,
      ObjectBinding objects) {}

  /**
   * Whom the call comes from.
   *
   * @param path as the client asked, for the record
   * @param headers those of the client's that go on to the provider, by lower-case name
   * @param trace the {@code traceparent} of the attempt of that number, from 1; null where the
   *     client's own passes through
   * @param via the instances of this gateway it has come through, this one included
   * @param client the client's name, or null
   * @param run the run it belongs to, or null
   * @param parent the call or step that made it, or null
   */
  public record Origin(
      String path,
      Map<String, String> headers,
      @Nullable IntFunction<String> trace,
      String via,
      @Nullable String client,
      @Nullable String run,
      @Nullable String parent) {}
}
