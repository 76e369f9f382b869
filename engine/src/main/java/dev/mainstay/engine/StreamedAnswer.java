package dev.mainstay.engine;

import dev.mainstay.call.recording.AttemptLog;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelOutcome.Ending;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.error.ProviderError;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Replies;
import dev.mainstay.wire.translate.ReplyReader;
import dev.mainstay.wire.translate.WriterOptions;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the bytes of one answer in OpenAI Chat's dialect into events and an outcome. Not
 * thread-safe.
 */
final class StreamedAnswer {
  /** The verdict on an error that says none. */
  private static final String UNKNOWN = "FATAL/other";

  private final String id;
  private final Consumer<ModelEvent> events;
  private final SseScanner scanner = new SseScanner();
  private final ReplyReader reader = Replies.reader(Dialect.OPENAI_CHAT);
  private final List<Delta> deltas = new ArrayList<>();
  private Delta.@Nullable ToolCall openCall;
  private final StringBuilder arguments = new StringBuilder();
  private int calls;
  private @Nullable Error error;

  /** What the answer says went wrong. */
  private record Error(int status, JsonNode json, String text, @Nullable Duration retryAfter) {}

  StreamedAnswer(String id, Consumer<ModelEvent> events) {
    this.id = id;
    this.events = events;
  }

  void data(byte[] bytes) {
    scanner.feed(
        bytes,
        0,
        bytes.length,
        event -> {
          event(event);
          return true;
        });
  }

  private void event(SseEvent event) {
    if (!event.hasData()) {
      return;
    }
    var text = event.dataText();
    if (text.startsWith("{\"error\"")) {
      error = new Error(0, tree(text), text, null);
      return;
    }
    for (var delta : reader.read(event)) {
      deltas.add(delta);
      tell(delta);
    }
  }

  private void tell(Delta delta) {
    switch (delta) {
      case Delta.Text more -> events.accept(new ModelEvent.Text(more.text()));
      case Delta.Refusal more -> events.accept(new ModelEvent.Text(more.text()));
      case Delta.Reasoning more -> events.accept(new ModelEvent.Reasoning(more.text()));
      case Delta.ToolCall call -> {
        toolCall();
        openCall = call;
        arguments.setLength(0);
      }
      case Delta.Arguments more -> arguments.append(more.json());
      case Delta.Finished _ -> toolCall();
      case Delta.Used used ->
          events.accept(
              new ModelEvent.Usage(Objects.requireNonNull(AttemptLog.tokens(used.usage()))));
      default -> {}
    }
  }

  private void toolCall() {
    var call = openCall;
    if (call != null) {
      openCall = null;
      var callId = call.id() == null ? id + "-" + calls : call.id();
      calls++;
      events.accept(
          new ModelEvent.ToolCall(
              new Message.ToolCall(
                  callId, call.name(), arguments.isEmpty() ? "{}" : arguments.toString())));
    }
  }

  void whole(int status, HttpHeaders headers, byte[] body) {
    if (status >= 200 && status < 300) {
      for (var delta : reader.whole(body)) {
        deltas.add(delta);
        tell(delta);
      }
      return;
    }
    var text = new String(body, StandardCharsets.UTF_8);
    var wait = headers.get("retry-after-ms");
    error =
        new Error(
            status,
            tree(text),
            text,
            wait == null ? null : Duration.ofMillis(Long.parseLong(wait)));
  }

  private static JsonNode tree(String text) {
    try {
      return Tree.read(text);
    } catch (JacksonException e) {
      return Tree.object();
    }
  }

  ModelOutcome outcome(ModelOutcome.Evidence evidence) {
    var call = evidence.call();
    if (error == null && (call == null || call.verdict() == null)) {
      return answered(evidence);
    }
    var failed = error == null ? new Error(0, Tree.object(), "{}", null) : error;
    var note = failed.json().path("error").path("mainstay");
    var verdict = call == null || call.verdict() == null ? UNKNOWN : call.verdict();
    int slash = verdict.indexOf('/');
    var said = ProviderError.read(failed.text()).message();
    return new ModelOutcome.Failed(
        failed.status() == 0 && call != null ? call.status() : failed.status(),
        FailureClass.valueOf(note.path("class").stringValue(verdict.substring(0, slash))),
        Kind.of(note.path("kind").stringValue(verdict.substring(slash + 1))),
        Blame.of(note.path("blame").stringValue(Blame.GATEWAY.wireName())),
        said == null ? verdict : said,
        note.path("next_step").stringValue(""),
        failed.retryAfter(),
        evidence);
  }

  private ModelOutcome answered(ModelOutcome.Evidence evidence) {
    var ending = Ending.OTHER;
    boolean refused = false;
    for (var delta : deltas) {
      if (delta instanceof Delta.Finished finished) {
        ending = ending(finished.ending());
      }
      // OpenAI ends a refusal in words as it ends any answer.
      refused |= delta instanceof Delta.Refusal no && !no.text().isEmpty();
    }
    var why = refused ? Ending.REFUSED : ending;
    events.accept(new ModelEvent.Ended(why));
    var options = new WriterOptions(null, false, id, 0);
    var whole = Replies.writer(Dialect.OPENAI_CHAT, options).whole(deltas);
    var message = Tree.read(whole, 0, whole.length).path("choices").path(0).path("message");
    return new ModelOutcome.Answered(new Message((ObjectNode) message), why, evidence);
  }

  private static Ending ending(Delta.Ending ending) {
    return switch (ending) {
      case STOP, STOP_SEQUENCE -> Ending.STOP;
      case TOOL_CALLS -> Ending.TOOL_CALLS;
      case LENGTH, CONTEXT -> Ending.LENGTH;
      case CONTENT_FILTER, REFUSAL -> Ending.REFUSED;
      case PAUSE, OTHER -> Ending.OTHER;
    };
  }
}
