package dev.mainstay.gateway;

import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.state.KeptCalls.Kept;
import dev.mainstay.ledger.state.StoredAnswer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Kept calls and dead letters as the admin API shows them. */
final class KeptJson {
  private KeptJson() {}

  /** A dead letter in a list: all but its bodies. */
  static Map<String, Object> deadLetter(Kept kept) {
    var map = new LinkedHashMap<String, Object>();
    map.put("id", kept.call());
    map.put("kind", "call");
    map.put("state", stand(kept));
    map.put("verdict", kept.verdict());
    map.put("client", kept.request().client().isEmpty() ? null : kept.request().client());
    map.put("path", kept.request().path());
    map.put("accepted_at", kept.acceptedAt());
    map.put("ended_at", kept.endedAt());
    map.put("redriven_as", kept.redrivenAs());
    return map;
  }

  /**
   * A run that was given up on.
   *
   * @param settled what a person decided about it, or null
   */
  static Map<String, Object> deadLetter(Run run, @Nullable Message settled) {
    var map = new LinkedHashMap<String, Object>();
    map.put("id", run.id());
    map.put("kind", "run");
    map.put(
        "state",
        settled == null ? "dead" : settled.kind().equals("redrive") ? "redriven" : "discarded");
    map.put("verdict", null);
    map.put("client", run.client().isEmpty() ? null : run.client());
    map.put("path", "agent " + run.agent());
    map.put("accepted_at", run.acceptedAt());
    map.put("ended_at", run.endedAt());
    map.put("redriven_as", null);
    return map;
  }

  /**
   * A dead letter with its evidence: what was asked, as long as it is kept, and the error.
   *
   * @param redactor what people do not see
   */
  static Map<String, Object> whole(Kept kept, Redactor redactor) {
    var map = deadLetter(kept);
    var request = kept.request().body();
    map.put("request", request.length == 0 ? null : text(redactor.body(request)));
    map.put("answer", answer(kept.answer(), redactor));
    return map;
  }

  /** What a call came to that was kept, beside its record; alone while it runs. */
  static Map<String, Object> ofCall(Kept kept) {
    var call = new LinkedHashMap<String, Object>();
    call.put("id", kept.call());
    call.put("client", kept.request().client().isEmpty() ? null : kept.request().client());
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

  private static @Nullable Map<String, Object> answer(
      @Nullable StoredAnswer answer, Redactor redactor) {
    if (answer == null) {
      return null;
    }
    var headers = new LinkedHashMap<String, Object>();
    for (var header : answer.headers()) {
      headers.merge(header.getKey(), header.getValue(), (a, b) -> a + ", " + b);
    }
    var map = new LinkedHashMap<String, Object>();
    map.put("status", answer.status());
    map.put("headers", headers);
    map.put("body", text(redactor.body(answer.body())));
    return map;
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
