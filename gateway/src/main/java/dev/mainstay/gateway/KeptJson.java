package dev.mainstay.gateway;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.state.KeptCalls.Kept;
import dev.mainstay.ledger.state.StoredAnswer;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Kept calls and dead letters as the admin API shows them. */
final class KeptJson {
  private KeptJson() {}

  /**
   * A dead letter in a list: all but its bodies.
   *
   * @param kind {@code call} or {@code run}
   * @param path what was asked: a path, or {@code agent NAME}
   * @param redrivenAs the call or run that it was redriven as
   */
  record DeadLetter(
      String id,
      String kind,
      String state,
      @Nullable String verdict,
      @Nullable String client,
      String path,
      Instant acceptedAt,
      @Nullable Instant endedAt,
      @Nullable String redrivenAs) {}

  /** A page of dead letters; {@code next} is the cursor of the next page, null on the last. */
  record DeadLetters(List<DeadLetter> deadLetters, @Nullable String next) {}

  /** What a client was answered. */
  record Answer(int status, Map<String, String> headers, String body) {}

  /**
   * A call's dead letter with its evidence: what was asked, as long as it is kept, and the error.
   */
  record WholeDeadLetter(
      @Flat DeadLetter letter, @Nullable String request, @Nullable Answer answer) {}

  static DeadLetter deadLetter(Kept kept) {
    return new DeadLetter(
        kept.call(),
        "call",
        stand(kept),
        kept.verdict(),
        client(kept.request().client()),
        kept.request().path(),
        kept.acceptedAt(),
        kept.endedAt(),
        kept.redrivenAs());
  }

  /**
   * A run that was given up on.
   *
   * @param settled what a person decided about it, or null
   */
  static DeadLetter deadLetter(Run run, @Nullable Message settled) {
    var redrive = settled != null && settled.kind().equals("redrive") ? settled : null;
    return new DeadLetter(
        run.id(),
        "run",
        settled == null ? "dead" : redrive != null ? "redriven" : "discarded",
        null,
        client(run.origin().client()),
        "agent " + run.origin().agent(),
        run.acceptedAt(),
        run.endedAt(),
        redrive == null ? null : Tree.read(text(redrive.content())).path("run").stringValue(null));
  }

  private static @Nullable String client(String name) {
    return name.isEmpty() ? null : name;
  }

  /**
   * @param redactor what people do not see
   */
  static WholeDeadLetter whole(Kept kept, Redactor redactor) {
    var request = kept.request().body();
    return new WholeDeadLetter(
        deadLetter(kept),
        request.length == 0 ? null : text(redactor.body(request)),
        answer(kept.answer(), redactor));
  }

  /** What a call came to that was kept, beside its record; alone while it runs. */
  static Map<String, Object> ofCall(Kept kept) {
    var call = new LinkedHashMap<String, Object>();
    call.put("id", kept.call());
    call.put("client", client(kept.request().client()));
    call.put("started_at", kept.acceptedAt());
    call.put("path", kept.request().path());
    call.put("verdict", kept.verdict());
    var map = new LinkedHashMap<String, Object>();
    map.put("call", call);
    map.put("attempts", List.of());
    map.put("state", stand(kept));
    map.put("redriven_as", kept.redrivenAs());
    map.put("answer", answer(kept.answer(), Redactor.NONE));
    return map;
  }

  private static String stand(Kept kept) {
    return kept.stand().name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable Answer answer(@Nullable StoredAnswer answer, Redactor redactor) {
    if (answer == null) {
      return null;
    }
    var headers = new LinkedHashMap<String, String>();
    for (var header : answer.headers()) {
      headers.merge(header.getKey(), header.getValue(), (a, b) -> a + ", " + b);
    }
    return new Answer(answer.status(), headers, text(redactor.body(answer.body())));
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
