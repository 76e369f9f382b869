package dev.mainstay.gateway.admin;

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
   * @param verdict of the call that it was given up on for, or null
   * @param settled what a person decided about it, or null
   */
  static DeadLetter deadLetter(Run run, @Nullable String verdict, @Nullable Message settled) {
    var redrive = settled != null && settled.kind().equals("redrive") ? settled : null;
    return new DeadLetter(
        run.id(),
        "run",
        settled == null ? "dead" : redrive != null ? "redriven" : "discarded",
        verdict,
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

  /**
   * What is kept of a call for its client.
   *
   * @param answer null while there is none, and for who may not read answers
   */
  record KeptFacts(String state, @Nullable String redrivenAs, @Nullable Answer answer) {
    KeptFacts withoutAnswer() {
      return new KeptFacts(state, redrivenAs, null);
    }
  }

  /** What is known of a call whose record there is not yet. */
  record KeptStart(
      String id,
      @Nullable String client,
      Instant startedAt,
      String path,
      @Nullable String verdict) {}

  /** A kept call whose record there is not yet, so that it has no attempts. */
  record KeptCall(KeptStart call, List<CallJson.Attempt> attempts, @Flat KeptFacts kept) {
    KeptCall withoutAnswer() {
      return new KeptCall(call, attempts, kept.withoutAnswer());
    }

    /** The same with its record. */
    WholeKeptCall with(CallJson.Whole whole) {
      return new WholeKeptCall(whole, kept);
    }
  }

  /** A kept call with its record. */
  record WholeKeptCall(@Flat CallJson.Whole whole, @Flat KeptFacts kept) {}

  /** What a call came to that was kept. */
  static KeptCall ofCall(Kept kept) {
    return new KeptCall(
        new KeptStart(
            kept.call(),
            client(kept.request().client()),
            kept.acceptedAt(),
            kept.request().path(),
            kept.verdict()),
        List.of(),
        new KeptFacts(stand(kept), kept.redrivenAs(), answer(kept.answer(), Redactor.NONE)));
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
