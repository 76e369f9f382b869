package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A loop for one owner (a request, a call) whose tasks cannot throw past it: whatever a task or a
 * callback throws goes to the owner, which ends itself. On a plain loop such an exception is
 * dropped, and what the task was to end stays open for ever.
 *
 * <p>Thread-safe as the loop below it.
 */
public final class GuardedLoop implements Loop {
  private final Loop loop;
  private final Consumer<Throwable> onThrow;

  /**
   * @param onThrow called on the loop with what a task threw; must not throw itself
   */
  public GuardedLoop(Loop loop, Consumer<Throwable> onThrow) {
    this.loop = loop;
    this.onThrow = onThrow;
  }

  /** The loop below all guards of {@code loop}. */
  static Loop unguarded(Loop loop) {
    var each = loop;
    while (each instanceof GuardedLoop guarded) {
      each = guarded.loop;
    }
    return each;
  }

  /** Runs {@code task} now, on the calling thread. */
  public void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      onThrow.accept(thrown);
    }
  }

  /** {@code task}, guarded: for callbacks that others keep. */
  public Runnable guarded(Runnable task) {
    return () -> run(task);
  }

  /**
   * Gives the result of {@code stage} to {@code then} on this loop; a stage that fails counts as a
   * task that throws.
   */
  public <T> void then(CompletionStage<T> stage, Consumer<? super T> then) {
    stage.whenComplete(
        (result, failed) -> {
          if (failed == null) {
            execute(() -> then.accept(result));
          } else {
            loop.execute(() -> onThrow.accept(failed));
          }
        });
  }

  /** {@code listener}, guarded: without a task for each event, of which every answer has many. */
  public UpstreamListener guarded(UpstreamListener listener) {
    return new UpstreamListener() {
      @Override
      public void connected(boolean reused) {
        try {
          listener.connected(reused);
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void sent() {
        try {
          listener.sent();
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void headers(int status, HttpHeaders headers) {
        try {
          listener.headers(status, headers);
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void data(ByteBuf part) {
        try {
          listener.data(part);
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void readComplete() {
        try {
          listener.readComplete();
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void trailers(HttpHeaders trailers) {
        try {
          listener.trailers(trailers);
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void end() {
        try {
          listener.end();
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }

      @Override
      public void failed(UpstreamFailure failure) {
        try {
          listener.failed(failure);
        } catch (Throwable thrown) {
          onThrow.accept(thrown);
        }
      }
    };
  }

  @Override
  public boolean inLoop() {
    return loop.inLoop();
  }

  @Override
  public boolean takesOn() {
    return loop.takesOn();
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(guarded(task));
  }

  @Override
  public Cancellable schedule(Duration delay, Runnable task) {
    return loop.schedule(delay, guarded(task));
  }

  @Override
  public <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then) {
    loop.<T>blocking(work, (result, thrown) -> run(() -> then.done(result, thrown)));
  }
}
