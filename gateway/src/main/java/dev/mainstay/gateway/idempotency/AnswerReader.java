package dev.mainstay.gateway.idempotency;

import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** One exchange that is given a shared answer. Belongs to the exchange's loop. */
final class AnswerReader {
  private final SharedAnswer answer;
  private final Exchange exchange;
  private final @Nullable EventSkip skip;
  private volatile int taken;
  private volatile long takenBytes;
  private boolean done;

  /**
   * @param skip what the client has already, or null
   */
  AnswerReader(SharedAnswer answer, Exchange exchange, @Nullable EventSkip skip) {
    this.answer = answer;
    this.exchange = exchange;
    this.skip = skip;
  }

  void start() {
    exchange.onWritable(this::pump);
    exchange.onGone(
        () -> {
          if (!done) {
            done = true;
            answer.left(this, false);
          }
        });
    pump();
  }

  /** There is more; from any thread. */
  void more() {
    if (exchange.loop().inLoop()) {
      pump();
    } else {
      exchange.loop().execute(this::pump);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written here alone, on one loop
  private void pump() {
    boolean moved = false;
    while (!done) {
      var piece = answer.piece(taken);
      if (piece == null || (piece instanceof Piece.Data && !exchange.writable())) {
        break;
      }
      give(piece);
      takenBytes = takenBytes + piece.size();
      taken = taken + 1;
      moved = true;
    }
    if (done && moved) {
      answer.left(this, true);
    } else if (moved) {
      answer.progressed();
    }
  }

  private void give(Piece piece) {
    switch (piece) {
      case Piece.Whole whole -> {
        done = true;
        exchange.respond(
            whole.status(), whole.headers().copy(), Unpooled.wrappedBuffer(whole.body()));
      }
      case Piece.Head head -> exchange.begin(head.status(), head.headers().copy());
      case Piece.Data data -> {
        byte[] bytes = skip == null ? data.bytes() : skip.left(data.bytes());
        if (bytes.length > 0) {
          exchange.write(Unpooled.wrappedBuffer(bytes));
        }
      }
      case Piece.End _ -> {
        done = true;
        exchange.end();
      }
    }
  }

  int taken() {
    return taken;
  }

  long takenBytes() {
    return takenBytes;
  }
}
