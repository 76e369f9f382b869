package dev.mainstay.call.passthrough;

import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;

/** The error of a request that passes through, where its provider has not answered with one. */
final class PassThroughErrors {
  /** As it goes to the client. */
  record Shown(int status, HttpHeaders head, ByteBuf body) {}

  private PassThroughErrors() {}

  /**
   * The error that {@code failure} is.
   *
   * @param repeatable whether the client may send the same again without harm
   */
  static Shown of(
      PassThroughRecord record,
      Dialect dialect,
      Failure failure,
      Verdict verdict,
      boolean repeatable) {
    int status = ErrorMapper.status(failure, verdict);
    var note =
        new MainstayNote(
            record.id(),
            verdict.failureClass().name(),
            verdict.kind().wireName(),
            verdict.blame().wireName(),
            record.underWay()
                ? List.of(
                    new MainstayNote.Attempt(
                        record.target(), null, verdict.kind().wireName(), "give_up", 0))
                : List.of(),
            ErrorMapper.nextStep(verdict));
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", record.id());
    headers.set("x-mainstay-attempts", record.attempts());
    headers.set("x-mainstay-verdict", verdict.label());
    headers.set("x-should-retry", Boolean.toString(repeatable));
    if (status == 429 || status == 503) {
      var after = ErrorMapper.retryAfter(null, verdict);
      headers.set("retry-after", Math.max(1, after.plusMillis(999).toSeconds()));
      headers.set("retry-after-ms", Math.max(1, after.toMillis()));
    }
    var body = ErrorWriter.body(dialect, status, ErrorMapper.error(failure, verdict), note);
    return new Shown(status, headers, Unpooled.wrappedBuffer(body));
  }
}
