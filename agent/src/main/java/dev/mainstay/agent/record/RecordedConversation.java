package dev.mainstay.agent.record;

import dev.mainstay.engine.model.Message;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.OnLoss;
import dev.mainstay.wire.translate.Replies;
import dev.mainstay.wire.translate.Requests;
import dev.mainstay.wire.translate.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a recorded call asked and what it was answered, in OpenAI Chat's form whatever the dialect.
 *
 * @param call its record
 * @param request the whole request as its client sent it; null where it is not kept or not readable
 * @param asked the messages of the request; empty where they are not kept or not readable
 * @param answer null where there is none, or it is not kept or not readable
 */
public record RecordedConversation(
    CallRecord call, @Nullable ObjectNode request, List<Message> asked, @Nullable Message answer) {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedConversation.class);

  /** What names state that a provider keeps: it says nothing about the messages themselves. */
  private static final List<String> PROVIDER_STATE =
      List.of("previous_response_id", "conversation");

  /** Reads the bodies of {@code stored}. Blocks on the disk. */
  public static RecordedConversation of(LedgerReader reader, StoredCall stored) {
    var call = stored.call();
    var request = chat(call, bytes(reader, stored, Body.Part.REQUEST));
    var asked = new ArrayList<Message>();
    if (request != null) {
      for (var message : request.path("messages")) {
        if (message instanceof ObjectNode object) {
          asked.add(new Message(object));
        }
      }
    }
    var answer =
        call.verdict() == null ? answer(call, bytes(reader, stored, Body.Part.RESPONSE)) : null;
    return new RecordedConversation(call, request, List.copyOf(asked), answer);
  }

  /** The bytes between client and gateway, or null where they are not kept. */
  public static byte @Nullable [] bytes(LedgerReader reader, StoredCall stored, Body.Part part) {
    for (var body : stored.bodies()) {
      if (body.attempt() == 0 && body.part() == part) {
        try {
          return reader.body(body);
        } catch (LedgerException e) {
          return null;
        }
      }
    }
    return null;
  }

  private static @Nullable Dialect dialect(CallRecord call) {
    for (var each : Dialect.values()) {
      if (each.label().equals(call.dialect())) {
        return each;
      }
    }
    return null;
  }

  private static @Nullable ObjectNode chat(CallRecord call, byte @Nullable [] body) {
    var dialect = dialect(call);
    if (body == null || dialect == null) {
      return null;
    }
    try {
      var json = Tree.read(body, 0, body.length);
      if (json instanceof ObjectNode object) {
        if (dialect == Dialect.OPENAI_CHAT || dialect == Dialect.MISTRAL) {
          return object;
        }
        object.remove(PROVIDER_STATE);
        var model = call.modelAsked() == null ? "" : call.modelAsked();
        var bytes = Tree.write(object).getBytes(StandardCharsets.UTF_8);
        var chat =
            Requests.translate(bytes, dialect, Dialect.OPENAI_CHAT, model, false, OnLoss.DROP)
                .body();
        return (ObjectNode) Tree.read(chat, 0, chat.length);
      }
    } catch (RuntimeException e) {
      LOG.debug(
          "Mainstay cannot show the request of {}: {}", call.id(), e.getClass().getSimpleName());
    }
    return null;
  }

  private static @Nullable Message answer(CallRecord call, byte @Nullable [] body) {
    var dialect = dialect(call);
    if (body == null || body.length == 0 || dialect == null) {
      return null;
    }
    try {
      var options = new WriterOptions(null, false, call.id(), 0, Set.of());
      var whole = Replies.writer(Dialect.OPENAI_CHAT, options).whole(deltas(dialect, body));
      var message = Tree.read(whole, 0, whole.length).path("choices").path(0).path("message");
      return message instanceof ObjectNode object ? new Message(object) : null;
    } catch (RuntimeException e) {
      LOG.debug(
          "Mainstay cannot show the answer of {}: {}", call.id(), e.getClass().getSimpleName());
      return null;
    }
  }

  private static List<Delta> deltas(Dialect dialect, byte[] body) {
    var reader = Replies.reader(dialect);
    if (body[0] == '{') {
      return reader.whole(body);
    }
    var bytes = body[0] == '[' ? events(Tree.read(body, 0, body.length)) : body;
    var deltas = new ArrayList<Delta>();
    new SseScanner()
        .feed(
            bytes,
            0,
            bytes.length,
            event -> {
              if (event.hasData()) {
                deltas.addAll(reader.read(event));
              }
              return true;
            });
    deltas.addAll(reader.close());
    return deltas;
  }

  /** Gemini's stream without {@code alt=sse} is an array of its events. */
  private static byte[] events(JsonNode array) {
    var text = new StringBuilder();
    for (var event : array) {
      text.append("data: ").append(Tree.write(event)).append("\n\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
