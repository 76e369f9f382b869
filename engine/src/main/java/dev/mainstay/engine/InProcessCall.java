package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.engine.model.ModelCall;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.http.Loop;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call whose client is a thread of this process. The call's loop writes the answer's bytes; the
 * waiting thread reads them into events, so that a slow reader costs the loop nothing.
 */
final class InProcessCall implements Recipient, ModelCall {
  /** What may wait for the reader before the provider is slowed down, in bytes. */
  private static final int MOST_BEHIND = 256 << 10;

  private sealed interface Piece {
    @SuppressWarnings("ArrayRecordComponent") // read once
    record Whole(int status, HttpHeaders headers, byte[] body) implements Piece {}

    @SuppressWarnings("ArrayRecordComponent") // read once
    record Data(byte[] bytes) implements Piece {}

    /** Nothing more of the answer comes. */
    record End() implements Piece {}

    record Recorded(CallRecord call, List<AttemptRecord> attempts) implements Piece {}

    record Refused() implements Piece {}
  }

  private final String id;
  private final Loop loop;
  private final Runnable whenRefused;
  private final LinkedBlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
  private final AtomicLong behind = new AtomicLong();

  // Of the loop's alone.
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;
  private boolean starved;
  private boolean gone;
  private boolean over;

  InProcessCall(String id, Loop loop, Runnable whenRefused) {
    this.id = id;
    this.loop = loop;
    this.whenRefused = whenRefused;
  }

  @Override
  public String id() {
    return id;
  }

  // ---- the call writes, on its loop

  @Override
  public Loop loop() {
    return loop;
  }

  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf body) {
    if (over) {
      body.release();
      return;
    }
    over = true;
    pieces.add(new Piece.Whole(status, headers, taken(body)));
    pieces.add(new Piece.End());
  }

  @Override
  public void begin(int status, HttpHeaders headers) {}

  @Override
  public void write(ByteBuf data) {
    byte[] bytes = taken(data);
    behind.addAndGet(bytes.length);
    pieces.add(new Piece.Data(bytes));
  }

  @Override
  public void end() {
    over = true;
    pieces.add(new Piece.End());
  }

  private static byte[] taken(ByteBuf buffer) {
    try {
      return ByteBufUtil.getBytes(buffer);
    } finally {
      buffer.release();
    }
  }

  @Override
  public boolean writable() {
    starved = behind.get() > MOST_BEHIND;
    return !starved;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  @Override
  public void onGone(Runnable callback) {
    onGone = callback;
    if (gone) {
      callback.run();
    }
  }

  /** The call is recorded, as a rule before the last of its answer is handed over. */
  void recorded(CallRecord call, List<AttemptRecord> attempts) {
    pieces.add(new Piece.Recorded(call, attempts));
    if (gone) {
      pieces.add(new Piece.End());
    }
  }

  /** The engine refused the request; what it said was written before. */
  void refused() {
    whenRefused.run();
    pieces.add(new Piece.Refused());
  }

  // ---- a thread reads

  @Override
  public void cancel() {
    loop.execute(
        () -> {
          if (!over && !gone) {
            gone = true;
            if (onGone != null) {
              onGone.run();
            }
          }
        });
  }

  @Override
  public ModelOutcome await(Consumer<ModelEvent> events) throws InterruptedException {
    var answer = new StreamedAnswer(id, events);
    boolean ended = false;
    ModelOutcome.Evidence evidence = null;
    try {
      while (!ended || evidence == null) {
        switch (pieces.take()) {
          case Piece.Data data -> {
            answer.data(data.bytes());
            taken(data.bytes().length);
          }
          case Piece.Whole whole -> answer.whole(whole.status(), whole.headers(), whole.body());
          case Piece.End _ -> ended = true;
          case Piece.Recorded it ->
              evidence = new ModelOutcome.Evidence(id, it.call(), it.attempts());
          case Piece.Refused _ -> {
            return answer.outcome(new ModelOutcome.Evidence(id, null, List.of()));
          }
        }
      }
      return answer.outcome(evidence);
    } catch (InterruptedException | RuntimeException e) {
      cancel();
      throw e;
    }
  }

  private void taken(int bytes) {
    long left = behind.addAndGet(-bytes);
    if (left <= MOST_BEHIND / 2 && left + bytes > MOST_BEHIND / 2) {
      loop.execute(
          () -> {
            if (starved && onWritable != null) {
              starved = false;
              onWritable.run();
            }
          });
    }
  }
}
