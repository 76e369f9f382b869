package dev.mainstay.gateway;

import dev.mainstay.gateway.config.Config;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What may be asked for, in the shape the asking client parses. */
final class ModelList {
  private final Supplier<Generation> current;

  ModelList(Supplier<Generation> current) {
    this.current = current;
  }

  boolean answers(Exchange exchange) {
    return exchange.method().equals("GET")
        && (exchange.path().equals("/v1/models")
            || exchange.path().startsWith("/v1/models/")
            || exchange.path().equals("/v1beta/models"));
  }

  void handle(Exchange exchange, Config.@Nullable Client client) {
    var dialect = Faces.dialect(exchange.path(), exchange.headers());
    var names = names(dialect, client);
    var path = exchange.path();
    if (path.startsWith("/v1/models/")) {
      var name = path.substring("/v1/models/".length()).replace("%2F", "/");
      if (names.contains(name)) {
        exchange.respond(200, "application/json", Json.of(one(dialect, name)));
      } else {
        exchange.respond(
            404,
            "application/json",
            "{\"error\":{\"message\":\"there is no model of that name\",\"type\":"
                + "\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}");
      }
      return;
    }
    var models = new ArrayList<Map<String, Object>>();
    for (var name : names) {
      models.add(one(dialect, name));
    }
    exchange.respond(200, "application/json", Json.of(list(dialect, models, names)));
  }

  private List<String> names(Dialect dialect, Config.@Nullable Client client) {
    var operation =
        switch (dialect) {
          case ANTHROPIC -> Operation.MESSAGES;
          case GEMINI -> Operation.GENERATE;
          case OPENAI_CHAT, OPENAI_RESPONSES, MISTRAL -> Operation.CHAT;
        };
    var names = current.get().router().names(operation);
    return client == null || client.models().isEmpty()
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
