package dev.mainstay.core.failure;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Failure.Thrown} from an exception: walks its causes and suppressed exceptions,
 * each once, at most {@value #MAX_EXCEPTIONS} of them; keeps class names and messages, at most
 * {@value #MAX_MESSAGE} characters of one; takes status, headers and body from the first exception
 * that carries them. Never throws on what it is given. Thread-safe.
 */
public final class ExceptionWalk {
  private static final int MAX_EXCEPTIONS = 64;
  private static final int MAX_MESSAGE = 8_000;
  private static final int MAX_DEEP_MESSAGE = 500;
  private static final int MAX_BODY = 1_000_000;

  private final List<ThrowableReader> readers;

  private ExceptionWalk(List<ThrowableReader> readers) {
    this.readers = List.copyOf(readers);
  }

  /** With the accessors that HTTP clients and SDKs usually have. */
  public static ExceptionWalk standard() {
    return new ExceptionWalk(List.of());
  }

  /** With {@code readers} asked first. */
  public static ExceptionWalk with(List<ThrowableReader> readers) {
    return new ExceptionWalk(readers);
  }

  /** The failure that {@code thrown} tells of; {@code provider} may be null. */
  public Failure.Thrown read(@Nullable String provider, Throwable thrown) {
    var text = new StringBuilder();
    Integer status = null;
    var headers = Headers.none();
    String body = null;
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var queue = new ArrayDeque<Throwable>();
    queue.add(thrown);
    while (!queue.isEmpty() && seen.size() < MAX_EXCEPTIONS) {
      var next = queue.poll();
      if (!seen.add(next)) {
        continue;
      }
      describe(next, text, seen.size());
      var found = found(next);
      if (found != null) {
        status = status == null ? found.status() : status;
        headers = headers.isEmpty() ? found.headers() : headers;
        body = body == null || body.isBlank() ? cut(found.body(), MAX_BODY) : body;
      }
      enqueue(next, queue);
    }
    return new Failure.Thrown(provider, text.toString(), status, headers, body);
  }

  private static void enqueue(Throwable thrown, ArrayDeque<Throwable> queue) {
    var suppressed = suppressed(thrown);
    for (int i = Math.min(suppressed.length, MAX_EXCEPTIONS) - 1; i >= 0; i--) {
      queue.addFirst(suppressed[i]);
    }
    var cause = cause(thrown);
    if (cause != null) {
      queue.addFirst(cause);
    }
  }

  private static void describe(Throwable thrown, StringBuilder text, int number) {
    if (number > 1) {
      text.append("\nCaused by: ");
    }
    text.append(thrown.getClass().getName());
    var message = cut(message(thrown), number <= 6 ? MAX_MESSAGE : MAX_DEEP_MESSAGE);
    if (message != null && !message.isBlank()) {
      text.append(": ").append(message);
    }
  }

  private ThrowableReader.@Nullable Found found(Throwable thrown) {
    for (var reader : readers) {
      try {
        var found = reader.read(thrown);
        if (found != null) {
          return found;
        }
      } catch (RuntimeException | LinkageError | StackOverflowError readersOwn) {
        continue;
      }
    }
    return Accessors.read(thrown);
  }

  private static @Nullable String message(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (RuntimeException | LinkageError | StackOverflowError itsOwn) {
      return null;
    }
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (RuntimeException | LinkageError | StackOverflowError itsOwn) {
      return null;
    }
  }

  private static Throwable[] suppressed(Throwable thrown) {
    try {
      return thrown.getSuppressed();
    } catch (RuntimeException | LinkageError | StackOverflowError itsOwn) {
      return new Throwable[0];
    }
  }

  private static @Nullable String cut(@Nullable String text, int max) {
    return text == null || text.length() <= max ? text : text.substring(0, max);
  }
}
