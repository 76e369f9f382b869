package dev.mainstay.app;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * {@code POST /api/classify}: what {@code mainstay classify --explain} says, by the rules in force.
 * The body is JSON Lines or one failure as a person pastes it; the answer is JSON Lines.
 */
public final class ClassifyRoutes implements Routes {
  private static final String PATH = "/api/classify";
  private static final int LONGEST = 1 << 20;

  /** A verdict, and what decided it. */
  record Classified(
      @Nullable JsonNode id,
      @Flat Meaning meaning,
      @Flat Advice advice,
      String rule,
      String because) {}

  /** What the failure is. */
  record Meaning(String class_, String kind, String blame) {}

  /** What can be done about it. */
  record Advice(
      boolean retrySame,
      @Nullable Double retryAfterS,
      boolean fallback,
      @Nullable String repair,
      boolean alert) {}

  /** A line that is no failure. */
  record BadLine(@Nullable JsonNode id, long line, String error) {}

  private final Supplier<Classifier> classifier;

  public ClassifyRoutes(Supplier<Classifier> classifier) {
    this.classifier = classifier;
  }

  @Override
  public boolean covers(String path) {
    return path.equals(PATH);
  }

  @Override
  public Role needs(String method, String path) {
    return Role.VIEWER;
  }

  @Override
  public List<Described> described() {
    return List.of(
        new Described(
                "POST",
                PATH,
                "classify",
                "Classifies failures: reads JSON Lines or pasted text, returns verdicts as JSON"
                    + " Lines")
            .takes(String.class)
            .gives(200, Classified.class, "application/jsonl")
            .gives(200, BadLine.class, "application/jsonl"));
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    var body = exchange.takeBody();
    if (body.length == 0 || body.length > LONGEST) {
      refuse(exchange, 400, "invalid_request", "the body is a failure of at most 1 MiB");
      return;
    }
    exchange
        .loop()
        .blocking(
            () -> {
              var out = new ByteArrayOutputStream();
              ClassifyCommand.run(classifier.get(), new ByteArrayInputStream(body), out, true);
              return out.toString(StandardCharsets.UTF_8);
            },
            (verdicts, thrown) -> {
              if (verdicts == null) {
                refuse(exchange, 500, "error", "the failure could not be classified");
              } else {
                exchange.respond(200, "application/jsonl", verdicts);
              }
            });
  }

  private static void refuse(Exchange exchange, int status, String code, String message) {
    exchange.respond(
        status,
        "application/json",
        "{\"error\":{\"code\":\"%s\",\"message\":\"%s\",\"allowed\":[]}}".formatted(code, message));
  }
}
