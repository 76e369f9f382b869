package dev.mainstay.agent;

import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import java.util.function.Consumer;

/** Calls a model: the engine, or a script of a test. Thread-safe. */
@FunctionalInterface
public interface ModelCaller {
  /**
   * Makes a request and waits for its outcome; {@code events} hears the answer as it arrives.
   *
   * @throws InterruptedException when the calling thread was interrupted; the call is then
   *     cancelled
   * @throws IllegalArgumentException when the request names a client that is not configured
   */
  ModelOutcome call(ModelRequest request, Consumer<ModelEvent> events) throws InterruptedException;
}
