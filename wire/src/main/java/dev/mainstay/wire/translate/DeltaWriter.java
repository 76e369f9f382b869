package dev.mainstay.wire.translate;

import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** What the writers of all dialects share. Not thread-safe. */
public abstract class DeltaWriter implements ReplyWriter {
  protected final WriterOptions options;
  protected String id;
  protected @Nullable String model;
  private boolean known;
  private final Set<String> degraded = new TreeSet<>();

  protected DeltaWriter(WriterOptions options) {
    this.options = options;
    id = options.id();
    model = options.model();
  }

  @Override
  public final Set<String> degraded() {
    return Collections.unmodifiableSet(degraded);
  }

  /** Notes that this dialect has no place for {@code what} was said. */
  protected final void drop(AnswerFeature what) {
    degraded.add(what.label());
  }

  /**
   * Takes the answer's id and, where none is prescribed, the model's name; once, and not where a
   * resumed stream has them.
   */
  protected final void start(Delta.Start start) {
    if (known) {
      return;
    }
    known = true;
    if (start.id() != null && !start.id().isEmpty()) {
      id = start.id();
    }
    if (options.model() == null && start.model() != null) {
      model = start.model();
    }
  }

  /** What was delivered told the answer's id and the model's name. */
  protected final void known(String id, String model) {
    known = true;
    this.id = id.isEmpty() ? this.id : id;
    this.model = model.isEmpty() ? this.model : model;
  }

  /** Whether {@code call} is to be written as a custom one. */
  protected final boolean isCustom(Delta.ToolCall call) {
    return call.custom() || options.customTools().contains(call.name());
  }

  /** The model's name to show; "" where nobody told any. */
  protected final String modelName() {
    return model == null ? "" : model;
  }

  /** Writes an event with a name. */
  protected static void event(String name, CharSequence data, ByteArrayOutputStream to) {
    to.writeBytes(("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Writes an event without a name. */
  protected static void event(CharSequence data, ByteArrayOutputStream to) {
    to.writeBytes(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Hands every event with data of {@code delivered} to {@code event}; one that is not JSON, which
   * no client can have made anything of, is passed over.
   */
  protected static void each(byte[] delivered, Consumer<SseEvent> event) {
    new SseScanner()
        .feed(
            delivered,
            0,
            delivered.length,
            found -> {
              try {
                if (found.hasData()) {
                  event.accept(found);
                }
              } catch (JacksonException e) {
                // Passed over.
              }
              return true;
            });
  }
}
