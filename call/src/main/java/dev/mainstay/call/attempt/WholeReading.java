package dev.mainstay.call.attempt;

import dev.mainstay.call.answer.BodyTee;
import dev.mainstay.call.answer.ByteChunks;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.translate.CollectedReply;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** An answer that is read when all of it is there: what was not streamed, and every error. */
final class WholeReading extends Reading {
  private final LongSupplier nanos;
  private final AttemptTimeouts timer;
  private final AttemptPlan plan;
  private final int status;
  private final HttpHeaders headers;
  private final ResponsePipeline pipeline;
  private final MemoryBudget.Reservation held;
  private final ByteChunks pieces = new ByteChunks();
  private @Nullable Answer answer;

  /**
   * @param memory what is held of it is taken from
   */
  WholeReading(
      LongSupplier nanos,
      AttemptTimeouts timer,
      AttemptPlan plan,
      int status,
      HttpHeaders headers,
      ResponsePipeline pipeline,
      CallMemory memory) {
    super(plan.rules(), pipeline);
    this.nanos = nanos;
    this.timer = timer;
    this.plan = plan;
    this.status = status;
    this.headers = headers;
    this.pipeline = pipeline;
    held = memory.part();
  }

  private boolean good() {
    return Attempt.good(status);
  }

  @Override
  @Nullable Ending take(byte[] bytes) {
    timer.part(nanos.getAsLong());
    // In its pieces and put together.
    long size = 2L * bytes.length;
    if (held.exceeds(size)) {
      return new Ending.Failed(
          new Failure.Stream(
              plan.rules(),
              Failure.Arrived.HEADERS,
              StreamEnding.TOO_LARGE,
              "the answer is larger than the limit of this gateway"));
    }
    CallMemory.hold(held, size);
    pieces.add(bytes);
    return !good() && pieces.size() >= MOST_OF_ERROR ? end() : null;
  }

  @Override
  Ending end() {
    var body = pieces.whole();
    if (!good()) {
      return reply(body);
    }
    return plan.operation().generates() && CollectedReply.isEvents(body)
        ? collected(body)
        : end(body);
  }

  /** The provider streamed though it was asked for a whole answer. */
  private Ending collected(byte[] events) {
    // What was read of it, and what is written.
    CallMemory.hold(held, 4L * events.length);
    return switch (CollectedReply.of(plan.operation().dialect(), events)) {
      case CollectedReply.Whole whole -> end(whole.body());
      case CollectedReply.Broken broken ->
          failed(
              broken.errorEvent() ? StreamEnding.ERROR_EVENT : StreamEnding.MALFORMED_EVENT,
              broken.text());
      case CollectedReply.Cut _ -> failed(StreamEnding.CLOSED, null);
    };
  }

  private Ending end(byte[] body) {
    var read = Readers.answer(plan.operation(), body);
    answer = read;
    return switch (read.outcome()) {
      case ANSWERED -> plan.stream() ? streamed(body) : answered(body, read);
      case ERROR, MALFORMED -> reply(body);
      case EMPTY ->
          new Ending.Failed(
              new Failure.Stream(plan.rules(), Failure.Arrived.HEADERS, StreamEnding.EMPTY, null));
    };
  }

  private Ending streamed(byte[] body) {
    try {
      var flaw = pipeline.streamed(body);
      return flaw == null ? new Ending.Streamed() : failed(flaw);
    } catch (RuntimeException e) {
      return unforeseen(e);
    }
  }

  private Ending answered(byte[] body, Answer read) {
    ResponsePipeline.Whole given;
    try {
      given = pipeline.whole(body, read);
    } catch (RuntimeException e) {
      return unforeseen(e);
    }
    return given.flaw() == null ? new Ending.Answered(given.body(), read) : failed(given.flaw());
  }

  private Ending reply(byte[] body) {
    int length = Math.min(body.length, MOST_OF_ERROR);
    return new Ending.Failed(
        new Failure.Reply(
            plan.rules(),
            status,
            facts(headers),
            new String(body, 0, length, StandardCharsets.UTF_8)));
  }

  private static Headers facts(HttpHeaders headers) {
    var byName = new HashMap<String, String>();
    for (var entry : headers) {
      byName.putIfAbsent(entry.getKey().toLowerCase(Locale.ROOT), entry.getValue());
    }
    return new Headers(byName);
  }

  @Override
  Ending broken(Throwable cause) {
    return thrown(plan.rules(), cause);
  }

  @Override
  Ending silent(Throwable missed) {
    return thrown(plan.rules(), missed);
  }

  @Override
  void over() {
    held.close();
  }

  @Override
  @Nullable String responseId() {
    return answer == null ? null : answer.responseId();
  }

  @Override
  byte[] received() {
    return plan.recorded() ? BodyTee.first(pieces.whole()) : new byte[0];
  }

  @Override
  Attempt.Bill bill(boolean cancelled) {
    if (!good()) {
      return Attempt.Bill.NOTHING;
    }
    if (answer == null) {
      return Attempt.Bill.OPEN;
    }
    return switch (answer.outcome()) {
      case ERROR -> Attempt.Bill.NOTHING;
      case ANSWERED -> Attempt.Bill.TOLD;
      case EMPTY, MALFORMED -> answer.usage() == null ? Attempt.Bill.OPEN : Attempt.Bill.TOLD;
    };
  }

  @Override
  @Nullable Usage usage(long requestBytes) {
    if (answer == null || answer.outcome() == Answer.Outcome.MALFORMED) {
      return null;
    }
    var told = answer.usage();
    return told != null
            || !plan.operation().generates()
            || answer.outcome() != Answer.Outcome.ANSWERED
        ? told
        : Usage.estimate(requestBytes, pieces.size());
  }
}
