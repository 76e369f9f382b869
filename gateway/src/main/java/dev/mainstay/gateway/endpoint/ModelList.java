package dev.mainstay.gateway.endpoint;

import dev.mainstay.config.Client;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.engine.Engine;
import dev.mainstay.engine.Refusals;
import dev.mainstay.engine.Router;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What may be asked for, in the shape the asking client parses. */
public final class ModelList {
  private final Engine engine;

  public ModelList(Engine engine) {
    this.engine = engine;
  }

  /**
   * Whether this asks for models and the configuration has the answer. What it does not name, a
   * provider may know: any name may be asked for.
   */
  public boolean answers(Exchange exchange, @Nullable Client client) {
    var asked = exchange.method().equals("GET") ? Faces.listed(exchange.path()) : null;
    if (asked == null) {
      return false;
    }
    var operation = operation(Faces.dialect(exchange.path(), exchange.headers()));
    var names = names(operation, client);
    return restricted(client)
        || (asked.isEmpty() ? !names.isEmpty() : known(asked, operation, names))
        || engine.current().config().providers().values().stream()
            .noneMatch(provider -> operation.offeredBy(provider.api()));
  }

  public void handle(Exchange exchange, @Nullable Client client) {
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    var operation = operation(dialect);
    var names = names(operation, client);
    var asked = String.valueOf(Faces.listed(exchange.path()));
    if (asked.isEmpty()) {
      var models = names.stream().map(name -> one(dialect, name)).toList();
      exchange.respond(200, "application/json", Json.of(list(dialect, models, names)));
    } else if (restricted(client) ? names.contains(asked) : known(asked, operation, names)) {
      exchange.respond(200, "application/json", Json.of(one(dialect, asked)));
    } else {
      engine.refuse(
          CallRefusal.caller(
              404, Kind.NOT_FOUND_MODEL, "model_not_found", "no model has this name"),
          Refusals.Request.unread(engine.newId(), dialect, exchange.path(), client),
          new ExchangeRecipient(exchange));
    }
  }

  /** Whether it is one of {@code names}, or the provider/model of one that is configured. */
  private boolean known(String asked, Operation operation, List<String> names) {
    return names.contains(asked)
        || (asked.indexOf('/') > 0
            && engine
                .current()
                .config()
                .providers()
                .containsKey(asked.substring(0, asked.indexOf('/')))
            && engine.current().router().find(asked, operation) instanceof Router.Resolution.Found);
  }

  private static boolean restricted(@Nullable Client client) {
    return client != null && !client.models().isEmpty();
  }

  private static Operation operation(Dialect dialect) {
    return switch (dialect) {
      case ANTHROPIC -> Operation.MESSAGES;
      case GEMINI -> Operation.GENERATE;
      case OPENAI_CHAT, OPENAI_RESPONSES, MISTRAL -> Operation.CHAT;
    };
  }

  private List<String> names(Operation operation, @Nullable Client client) {
    var names = engine.current().router().names(operation);
    return client == null || !restricted(client)
        ? names
        : names.stream().filter(client.models()::contains).toList();
  }

  private static Map<String, Object> one(Dialect dialect, String name) {
    var model = new LinkedHashMap<String, Object>();
    switch (dialect) {
      case ANTHROPIC -> {
        model.put("type", "model");
        model.put("id", name);
        model.put("display_name", name);
        model.put("created_at", "1970-01-01T00:00:00Z");
      }
      case GEMINI -> {
        model.put("name", "models/" + name);
        model.put("displayName", name);
        model.put(
            "supportedGenerationMethods", List.of("generateContent", "streamGenerateContent"));
      }
      case OPENAI_CHAT, OPENAI_RESPONSES, MISTRAL -> {
        model.put("id", name);
        model.put("object", "model");
        model.put("created", 0);
        model.put("owned_by", "mainstay");
        if (dialect == Dialect.MISTRAL) {
          model.put("type", "base");
          model.put("capabilities", Map.of("completion_chat", true, "function_calling", true));
        }
      }
    }
    return model;
  }

  private static Map<String, Object> list(
      Dialect dialect, List<Map<String, Object>> models, List<String> names) {
    var list = new LinkedHashMap<String, Object>();
    switch (dialect) {
      case ANTHROPIC -> {
        list.put("data", models);
        list.put("has_more", false);
        list.put("first_id", names.isEmpty() ? null : names.getFirst());
        list.put("last_id", names.isEmpty() ? null : names.getLast());
      }
      case GEMINI -> list.put("models", models);
      case OPENAI_CHAT, OPENAI_RESPONSES, MISTRAL -> {
        list.put("object", "list");
        list.put("data", models);
      }
    }
    return list;
  }
}
