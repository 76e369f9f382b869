package dev.mainstay.call.simulation;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.call.settings.ToolCalls;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds what happened to the promises of the design, by books of its own. It sees what providers,
 * clients, the ledger and the budget see, and shares no code with what it checks. The number before
 * a message is the promise's.
 */
final class Promises {
  private final VirtualTime time;
  private final BreakerSettings breaker;
  private final InFlight inFlight;
  private final List<Observed> calls = new ArrayList<>();

  /** Failures that a provider is to blame for, by target. */
  private final Map<TargetId, Integer> blamed = new HashMap<>();

  /** Until when a key rests for a model, by provider, key and model. */
  private final Map<String, Long> resting = new HashMap<>();

  private @Nullable Guards guards;
  private @Nullable AssertionError broken;

  Promises(VirtualTime time, BreakerSettings breaker, InFlight inFlight) {
    this.time = time;
    this.breaker = breaker;
    this.inFlight = inFlight;
  }

  void check(boolean holds, String promise) {
    if (!holds) {
      throw broken(promise);
    }
  }

  /** Kept as well as thrown: the code under test guards itself against what callbacks throw. */
  private AssertionError broken(String promise) {
    var error = new AssertionError(promise);
    broken = broken == null ? error : broken;
    return error;
  }

  /** Throws the first promise that was broken. */
  void kept() {
    if (broken != null) {
      throw broken;
    }
  }

  private void check(boolean holds, Observed call, String promise) {
    if (!holds) {
      throw broken(
          promise
              + "\n  "
              + call
              + ", in "
              + time.elapsed()
              + ", record "
              + call.record
              + "\n  attempts "
              + call.attempts
              + "\n  received "
              + call.client.received());
    }
  }

  /** The breakers at work from now on. */
  void guardedBy(Guards now) {
    guards = now;
  }

  void begins(Observed call) {
    calls.add(call);
  }

  Observed call(String trace) {
    return calls.get(Integer.parseInt(trace.substring(0, trace.indexOf('-'))));
  }

  List<Observed> calls() {
    return calls;
  }

  // ---- a request is sent

  Sent sent(Observed call, TargetId target, String key, String body, UpstreamRequest request) {
    long now = time.nanos();
    var policy = call.request.plan().settings().policy();
    var client = call.client;
    check(!client.over && !client.gone, call, "5: nothing is sent for a call that has ended");
    var fewer = call.request.plan().limits().maxAttempts();
    int most = fewer == null ? policy.maxAttempts() : Math.min(fewer, policy.maxAttempts());
    check(call.sent.size() < most, call, "1: no more than " + most + " attempts");
    check(
        call.sent.isEmpty() || !call.sent.getLast().open,
        call,
        "1: one attempt at a time, the last one ended");
    check(now <= deadline(call), call, "2: no attempt begins after the deadline");
    var last = call.request.plan().limits().lastAttempt();
    check(
        last == null || now <= call.startedAt + last.toNanos(),
        call,
        "2: no attempt begins after the client's own limit");
    boolean committed = client.committed;
    if (committed) {
      long restarts = call.sent.stream().filter(sent -> sent.committedBefore).count();
      check(
          restarts < policy.bounds().streamRestarts(),
          call,
          "1: no more than " + policy.bounds().streamRestarts() + " restarts of a stream");
      check(
          policy.midStream() == MidStream.CONTINUE,
          call,
          "3: no attempt after the commit point unless mid-stream is continue");
      check(!client.toolCallBegun, call, "4: no attempt after a delivered tool call");
    }
    check(call.held && call.settled == call.sent.size(), call, "10: money is held before");
    check(
        call.begun == call.sent.size() + 1,
        call,
        "7: an attempt is on record before it is sent, once");
    for (var before : call.sent) {
      again(call, before, target, key, body, now);
    }
    var rests = resting.get(target.provider() + " " + key + " " + target.model());
    check(rests == null || now >= rests, call, "2: a key that was limited rests");
    var state = state(target);
    check(state != Breaker.State.OPEN, call, "11: an open breaker lets nothing through");
    boolean probe = state == Breaker.State.HALF_OPEN;
    if (probe) {
      for (var other : calls) {
        for (var each : other.sent) {
          check(
              !(each.open && each.probe && !each.generated && each.target.equals(target)),
              call,
              "11: one probe at a time");
        }
      }
    }
    check(
        Integer.parseInt(request.headers().get("x-mainstay-attempts")) <= most - call.sent.size(),
        call,
        "1: the next Mainstay gets no more attempts than are left");
    time.trace("sent", call, target, key, body.length(), committed, String.valueOf(state));
    var made = new Sent(now, target, key, body, committed, probe);
    call.sent.add(made);
    return made;
  }

  private void again(
      Observed call, Sent before, TargetId target, String key, String body, long now) {
    boolean sameTarget = before.target.equals(target);
    boolean sameKey = before.target.provider().equals(target.provider()) && before.key.equals(key);
    boolean unchanged = before.body.equals(body);
    switch (before.truth) {
      case KEY_REFUSED ->
          check(!sameKey, call, "2: a key that was refused for good is not asked with again");
      case KEY_RESTS ->
          check(
              !sameTarget || !sameKey || now >= before.notBefore,
              call,
              "2: a wait is never shorter than the provider asked");
      case PROVIDER_FAILED ->
          check(
              !sameTarget || now >= before.notBefore,
              call,
              "2: a wait is never shorter than the provider asked");
      case TARGET_REFUSED ->
          check(
              !sameTarget || !sameKey,
              call,
              "2: FATAL is never retried on its target with its key");
      case REQUEST_REFUSED ->
          check(!sameTarget || !unchanged, call, "2: LOGIC is never repeated unchanged");
      case GOOD, MODEL_ERRED, UNKNOWN -> {}
    }
  }

  private long deadline(Observed call) {
    long nanos = call.request.plan().settings().policy().deadline().toNanos();
    var sooner = call.request.plan().limits().deadline();
    return call.startedAt + (sooner == null ? nanos : Math.min(nanos, sooner.toNanos()));
  }

  private Breaker.@Nullable State state(TargetId target) {
    var state = guards == null ? null : guards.state(target, time.nanos());
    return state == null ? null : state.breaker().state();
  }

  // ---- money

  void settled(Observed call, @Nullable Long nanos, boolean told) {
    check(call.held, call, "10: what is settled was held");
    call.held = false;
    if (call.settled == call.sent.size()) {
      check(nanos != null && nanos == 0, call, "10: what was not sent is free");
      return;
    }
    var sent = call.sent.get(call.settled++);
    if (nanos == null) {
      return;
    }
    if (nanos == 0) {
      check(
          !sent.generated || refused(sent),
          call,
          "10: an answer that a model began to write is not free");
    }
    if (sent.toldTokens >= 0 && sent.truth == Truth.GOOD && told) {
      check(
          nanos == 10 * 1_000L + sent.toldTokens * 2_000L,
          call,
          "8: an attempt costs what its provider tells, not " + nanos);
    }
  }

  private static boolean refused(Sent sent) {
    return sent.truth == Truth.PROVIDER_FAILED;
  }

  // ---- the ledger

  void started(String id, Observed call) {
    check(call.id == null || call.id.equals(id), call, "8: a call begins once");
    call.id = id;
  }

  @Nullable Observed byId(String id) {
    for (var call : calls) {
      if (id.equals(call.id)) {
        return call;
      }
    }
    return null;
  }

  void recorded(Observed call, CallRecord record, List<AttemptRecord> attempts) {
    check(call.record == null, call, "8: a call is recorded once");
    time.trace("recorded", call, record, attempts, call.client.received());
    call.record = record;
    call.attempts = attempts;
  }

  boolean recorded(SimulatedClient client) {
    for (var call : calls) {
      if (call.client == client) {
        return call.record != null;
      }
    }
    return false;
  }

  // ---- the end of it all

  void ended(Observed call) {
    var record = call.record;
    var client = call.client;
    if (record == null) {
      check(false, call, "5: every call ends");
      return;
    }
    check(client.over || client.gone, call, "5: every client gets an answer to its end");
    check(call.reported, call, "8: the listeners hear of every call");
    ledger(call, record);
    check(
        client.committed
            || client.gone
            || client.endedAt <= deadline(call) + SimulatedBudget.SLOWEST + client.slowness(),
        call,
        "2: a call that delivered nothing ends by its deadline");
    if (client.gone) {
      check("FATAL/cancelled".equals(record.verdict()), call, "11: who left is not the provider's");
    } else if (record.stream() && client.begun) {
      streamed(call, record);
    } else {
      whole(call, record);
    }
    secrets(call, client.received());
    call.attempts.forEach(attempt -> secrets(call, attempt.toString()));
    for (var sent : call.sent) {
      check(!sent.open || sent.truth == Truth.GOOD, call, "5: no attempt outlives its call");
      if (sent.truth == Truth.PROVIDER_FAILED) {
        blamed.merge(sent.target, 1, Integer::sum);
      }
    }
  }

  private void ledger(Observed call, CallRecord record) {
    check(
        record.attempts() == call.sent.size() && call.attempts.size() == call.sent.size(),
        call,
        "8: every attempt is on record once, all " + call.sent.size());
    Long sum = 0L;
    for (int i = 0; i < call.attempts.size(); i++) {
      var attempt = call.attempts.get(i);
      var sent = call.sent.get(i);
      check(
          attempt.number() == i + 1 && attempt.target().equals(sent.target.toString()),
          call,
          "8: attempts are on record in their order");
      check(
          (attempt.verdict() == null)
                  == (sent.truth == Truth.GOOD || attempt.decision().equals("cancelled"))
              || sent.truth == Truth.UNKNOWN
              || sent.truth == Truth.GOOD,
          call,
          "8: a failed attempt is on record as failed");
      check(
          attempt.waited().toNanos() <= longestWait(call),
          call,
          "2: no attempt waits longer than its policy says");
      if (sent.truth == Truth.GOOD && sent.toldTokens >= 0 && attempt.verdict() == null) {
        var tokens = attempt.tokens();
        check(
            attempt.decision().equals("cancelled")
                || (tokens != null && tokens.output() == sent.toldTokens),
            call,
            "8: usage is on record as told");
      }
      var cost = attempt.tokens() == null ? Long.valueOf(0) : attempt.costNanos();
      sum = sum == null || cost == null ? null : (Long) (sum + cost);
    }
    check(
        record.costNanos() == null || record.costNanos().equals(sum),
        call,
        "8: a call costs what all its attempts cost, " + sum);
    check(call.settled == call.sent.size(), call, "10: every attempt is settled once");
  }

  /**
   * One decided wait, the wait for the limits of an account, that for a place, and the budget's
   * answer.
   */
  private long longestWait(Observed call) {
    var retry = call.request.plan().settings().policy().retry();
    return Math.max(retry.maxRetryAfter().toNanos(), retry.maxDelay().toNanos())
        + retry.patience().toNanos()
        + inFlight.maxWait().toNanos()
        + SimulatedBudget.SLOWEST;
  }

  /** A probe's first content has reached its client. */
  void probed(Sent probe) {
    check(
        state(probe.target) != Breaker.State.HALF_OPEN,
        "11: a probe has succeeded with its first token");
  }

  private void streamed(Observed call, CallRecord record) {
    var read = call.wire.read(call.client.received());
    var answer = call.answer;
    check(
        answer.text().startsWith(read.text()),
        call,
        "3: what the client has is a beginning of one answer: " + answer.text());
    check(read.calls() <= 1, call, "4: a tool call is delivered once");
    check(
        answer.arguments().startsWith(read.arguments()),
        call,
        "4: a tool call's arguments are those of one call");
    if (record.verdict() == null) {
      check(read.done() == 1, call, "3: a success has its protocol's own ending");
      check(!read.error(), call, "3: a success has no error");
      check(
          read.text().equals(answer.text()) && read.arguments().equals(answer.arguments()),
          call,
          "3: a success is the whole answer: " + answer);
      check(
          read.finished().equals(call.wire.finish(answer)),
          call,
          "3: a success says why it stopped");
    } else {
      check(read.error(), call, "9: a failure after the head is an error event");
      check(
          read.finished().isEmpty() && read.done() == 0,
          call,
          "3: a failure does not look like a success");
    }
    if (call.request.plan().settings().toolCalls() == ToolCalls.HOLD && record.verdict() != null) {
      check(read.calls() == 0, call, "4: a held tool call leaves with a turn that ended well");
    }
  }

  private void whole(Observed call, CallRecord record) {
    var client = call.client;
    var body = client.received();
    var headers = client.headers;
    check(headers != null, call, "9: an answer has a head");
    check(
        headers != null
            && String.valueOf(call.sent.size()).equals(headers.get("x-mainstay-attempts")),
        call,
        "1: the head says how many attempts there were");
    if (record.verdict() == null) {
      check(client.status == 200, call, "3: a success is a 200");
      var read = call.wire.readWhole(body);
      check(
          read.text().equals(call.answer.text())
              && read.arguments().equals(call.answer.arguments())
              && read.calls() == (call.answer.callsTool() ? 1 : 0),
          call,
          "3: a success is the whole answer: " + call.answer);
      check(
          read.finished().equals(call.wire.finish(call.answer)),
          call,
          "3: a success says why it stopped");
    } else {
      check(client.status >= 400, call, "9: a failure is a non-2xx answer");
      check(body.contains("\"error\""), call, "9: a failure is an error in the client's dialect");
    }
  }

  private void secrets(Observed call, String text) {
    check(!text.contains("sk-secret"), call, "9: no key is shown");
  }

  void quiet(Guards last) {
    for (var state : last.states(time.nanos())) {
      check(state.busy() == 0, "12: no attempt holds a place for ever at " + state.target());
      var snapshot = state.breaker();
      check(
          snapshot.state() != Breaker.State.HALF_OPEN || snapshot.nextProbeNanos() != null,
          "11: a probe is given back at " + state.target());
      if (blamed.getOrDefault(state.target(), 0) == 0) {
        check(
            snapshot.state() == Breaker.State.CLOSED || unknown(state.target()),
            "11: a breaker opens on what the provider is to blame for, " + state);
      }
    }
    check(breaker.consecutiveFailures() > 0, "11");
  }

  /** Whether an attempt there was given up on, for its silence. */
  private boolean unknown(TargetId target) {
    return calls.stream()
        .flatMap(call -> call.sent.stream())
        .anyMatch(sent -> sent.target.equals(target) && sent.truth == Truth.UNKNOWN);
  }

  /** A key of a provider rests, as the provider said. */
  void keyRests(Sent sent) {
    time.trace("key rests", sent.target, sent.key, sent.notBefore - time.nanos());
    resting.merge(
        sent.target.provider() + " " + sent.key + " " + sent.target.model(),
        sent.notBefore,
        Math::max);
  }
}
