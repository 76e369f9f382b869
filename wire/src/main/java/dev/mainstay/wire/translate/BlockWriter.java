package dev.mainstay.wire.translate;

import dev.mainstay.wire.money.Usage;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What the writers share whose dialect has one answer alone, a row of blocks of which one is open
 * at a time. Not thread-safe.
 */
public abstract class BlockWriter extends DeltaWriter {
  protected final CallsInOrder inOrder = new CallsInOrder();

  /** The last that was told, or null. */
  protected @Nullable Usage usage;

  /** How the answer ended, or null where nobody has said. */
  protected Delta.@Nullable Finished finished;

  /** Whether that had been delivered before, so that nothing but the ending is missing. */
  protected boolean stopped;

  /** Whether the ending is written. */
  protected boolean done;

  /** How many calls were begun. */
  protected int calls;

  /** The number of the call that is open, as the attempt counts; -1 before the first. */
  protected int call = -1;

  protected BlockWriter(WriterOptions options) {
    super(options);
  }

  @Override
  public final void write(Delta delta, ByteArrayOutputStream to) {
    if (!done) {
      inOrder.accept(delta, next -> next(next, to));
    }
  }

  private void next(Delta delta, ByteArrayOutputStream to) {
    switch (delta) {
      case Delta.Start start -> start(start);
      case Delta.Used used -> usage = used.usage();
      case Delta.End _ -> end(to);
      default -> {
        if (delta.ofChoice() > 0) {
          drop(AnswerFeature.CHOICES);
        } else if (finished == null && !stopped) {
          begin(to);
          content(delta, to);
        }
      }
    }
  }

  /** Writes what comes before the first block, unless it is written. */
  protected abstract void begin(ByteArrayOutputStream to);

  /** Writes a delta of the answer itself: no start, no usage, no end. */
  protected abstract void content(Delta delta, ByteArrayOutputStream to);

  /** Writes the ending. */
  protected abstract void end(ByteArrayOutputStream to);
}
