package dev.mainstay.app.rehearse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.app.FailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** What {@code serve} says once it is ready: where it listens. */
final class Announcement {
  private static final Pattern READY = Pattern.compile("ready on https?://.*:([0-9]+)");

  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private Announcement() {}

  /** Reads what a gateway writes, to its end, so that it never waits for a reader. */
  static Announcement in(InputStream output) {
    var announcement = new Announcement();
    Thread.ofVirtual().start(() -> announcement.read(output));
    return announcement;
  }

  private void read(InputStream output) {
    var last = "it said nothing";
    try (var lines = new BufferedReader(new InputStreamReader(output, UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        var ready = READY.matcher(line);
        if (ready.find()) {
          port.complete(Integer.valueOf(ready.group(1)));
        }
        last = line.isBlank() ? last : line;
      }
    } catch (IOException e) {
      last = String.valueOf(e.getMessage());
    }
    port.completeExceptionally(new FailedException("the gateway did not start: " + last));
  }

  /**
   * The port, once the gateway is ready.
   *
   * @throws FailedException where it ended, or took longer, with its last words
   */
  int port(Duration atMost) throws InterruptedException {
    try {
      return port.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new FailedException("the gateway did not start within " + atMost.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof FailedException failed ? failed : new IllegalStateException(e);
    }
  }
}
