package dev.mainstay.engine.idempotency;

import dev.mainstay.call.api.Recipient;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/** One recipient of a shared answer. Belongs to the recipient's loop. */
final class AnswerReader {
  private final SharedAnswer answer;
  private final Recipient to;
  private final @Nullable EventSkip skip;
  private volatile int taken;
  private volatile long takenBytes;
  private boolean done;

  /**
   * @param skip what the client has already, or null
   */
  AnswerReader(SharedAnswer answer, Recipient to, @Nullable EventSkip skip) {
    this.answer = answer;
    this.to = to;
    this.skip = skip;
  }

  void start() {
    to.onWritable(this::pump);
    to.onGone(
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
    if (to.loop().inLoop()) {
      pump();
    } else {
      to.loop().execute(this::pump);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written here alone, on one loop
  private void pump() {
    boolean moved = false;
    while (!done) {
      var piece = answer.piece(taken);
      if (piece == null || (piece instanceof AnswerPiece.Data && !to.writable())) {
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

  private void give(AnswerPiece piece) {
    switch (piece) {
      case AnswerPiece.Whole whole -> {
        done = true;
        to.respond(whole.status(), whole.headers().copy(), Unpooled.wrappedBuffer(whole.body()));
      }
      case AnswerPiece.Head head -> to.begin(head.status(), head.headers().copy());
      case AnswerPiece.Data data -> {
        byte[] bytes = skip == null ? data.bytes() : skip.left(data.bytes());
        if (bytes.length > 0) {
          to.write(Unpooled.wrappedBuffer(bytes));
        }
      }
      case AnswerPiece.End _ -> {
        done = true;
        to.end();
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
