package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The simulator's own paths, under {@code /_sim}. */
final class ControlPaths {
  private final ScriptProgress stage;
  private final RequestLog log;

  ControlPaths(ScriptProgress stage, RequestLog log) {
    this.stage = stage;
    this.log = log;
  }

  void handle(Exchange exchange) {
    switch (exchange.method() + " " + exchange.path()) {
      case "PUT /_sim/script" -> set(exchange);
      case "DELETE /_sim/script" -> {
        stage.set(Script.EMPTY);
        answer(exchange, 200, Json.object());
      }
      case "GET /_sim/log" -> answer(exchange, 200, log(exchange.query()));
      case "DELETE /_sim/log" -> {
        log.clear();
        answer(exchange, 200, Json.object());
      }
      case "DELETE /_sim" -> {
        stage.set(Script.EMPTY);
        log.clear();
        answer(exchange, 200, Json.object());
      }
      case "GET /_sim/faults" -> answer(exchange, 200, faults());
      case "GET /_sim" ->
          answer(
              exchange,
              200,
              Json.object().put("simulator", "mainstay").put("requests", log.all().size()));
      default ->
          answer(
              exchange,
              404,
              Json.object()
                  .put(
                      "error",
                      "known: PUT and DELETE /_sim/script, GET and DELETE /_sim/log, GET"
                          + " /_sim/faults, DELETE /_sim"));
    }
  }

  private void set(Exchange exchange) {
    try {
      Script script = Script.parse(exchange.body().toString(StandardCharsets.UTF_8));
      stage.set(script);
      var answer = Json.object();
      var models = answer.putArray("models");
      script.models().keySet().stream().sorted().forEach(models::add);
      answer(exchange, 200, answer);
    } catch (IllegalArgumentException e) {
      answer(exchange, 400, Json.object().put("error", e.getMessage()));
    }
  }

  private ObjectNode log(String query) {
    @Nullable String model = parameter(query, "model");
    boolean bodies = "true".equals(parameter(query, "bodies"));
    var answer = Json.object();
    var requests = answer.putArray("requests");
    for (Received each : log.all()) {
      if (model != null && !model.equals(each.request().model())) continue;
      var request =
          requests
              .addObject()
              .put("number", each.number())
              .put("at", each.at().toString())
              .put("dialect", each.request().dialect())
              .put("provider", each.request().provider())
              .put("model", each.request().model())
              .put("path", each.delivery().path())
              .put("stream", each.request().stream())
              .put("key", each.delivery().key())
              .put("body_hash", each.delivery().bodyHash())
              .put("step", each.answer().step())
              .put("status", each.answer().status())
              .put("events", each.answer().events())
              .put("ending", each.answer().ending().label())
              .put("client_left", each.answer().ending() == Received.Ending.CLIENT_LEFT)
              .put("millis", each.answer().millis());
      var headers = request.putObject("headers");
      each.delivery().headers().forEach(headers::put);
      if (bodies) request.put("body", each.body());
    }
    return answer;
  }

  private static @Nullable String parameter(String query, String name) {
    for (String part : List.of(query.split("&", -1))) {
      if (part.startsWith(name + "=")) {
        return URLDecoder.decode(part.substring(name.length() + 1), StandardCharsets.UTF_8);
      }
    }
    return null;
  }

  private static ObjectNode faults() {
    var answer = Json.object();
    var faults = answer.putArray("faults");
    for (Faults.Known each : Faults.all()) {
      faults
          .addObject()
          .put("name", each.name())
          .put("provider", each.provider())
          .put("kind", each.kind())
          .put("what", each.what())
          .put("source", each.source());
    }
    return answer;
  }

  private static void answer(Exchange exchange, int status, ObjectNode body) {
    exchange.respond(status, "application/json", Json.write(body));
  }
}
