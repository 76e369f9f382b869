package dev.mainstay.ledger.log;

import dev.mainstay.ledger.LedgerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Calls that have ended and wait in logs for their store. Read beside the gateways that write the
 * logs, and changes nothing.
 *
 * @param calls how many
 * @param bytes what they take, with their bodies
 * @param oldest when the oldest of them began, or null where none waits
 * @param problems files that cannot be read, in words
 */
public record WaitingCalls(
    long calls, long bytes, @Nullable Instant oldest, List<String> problems) {

  /** Those in {@code directory} and in the directories of it; none where it is not there. */
  public static WaitingCalls in(Path directory) {
    var count = new Count();
    if (Files.isDirectory(directory)) {
      try (var files = Files.walk(directory)) {
        for (var file : files.sorted().toList()) {
          count.add(file);
        }
      } catch (IOException e) {
        count.problems.add("%s cannot be read: %s".formatted(directory, e.getMessage()));
      }
    }
    return new WaitingCalls(count.calls, count.bytes, count.oldest, List.copyOf(count.problems));
  }

  /** What waits since when, for people; empty where nothing does. */
  public List<String> notes(Path directory) {
    return calls == 0
        ? List.of()
        : List.of(
            String.format(
                Locale.ROOT,
                "%,d calls wait in %s for the store, the oldest since %s: the next gateway that"
                    + " starts on this machine brings those that none has in hand",
                calls,
                directory,
                oldest));
  }

  private static final class Count {
    private final List<String> problems = new ArrayList<>();
    private long calls;
    private long bytes;
    private @Nullable Instant oldest;

    void add(Path file) {
      var name = file.getFileName().toString();
      if (name.endsWith(LogFolder.DAMAGED)) {
        problems.add(file + " was damaged and set aside: the calls in it are not in the store");
      } else if (name.endsWith(LogFolder.SUFFIX) && Files.isRegularFile(file)) {
        try (var segment = LogSegment.read(file)) {
          if (segment != null && segment.number() > 0) {
            add(segment);
          } else if (segment == null && !LogFolder.isBlank(file)) {
            problems.add(file + " is damaged: the calls in it cannot be read");
          }
        } catch (IOException | LedgerException e) {
          problems.add("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
      }
    }

    private void add(LogSegment segment) {
      var ends = new ArrayList<Integer>();
      boolean whole =
          segment.scan(
              (offset, payload) -> {
                if (Entry.kind(payload) == Entry.END) {
                  ends.add(offset);
                }
              });
      for (int offset : ends) {
        if (offset >= segment.drained()) {
          var payload = segment.payload(offset);
          calls++;
          bytes += payload.byteSize();
          var at = Entry.end(payload).call().startedAt();
          oldest = oldest == null || at.isBefore(oldest) ? at : oldest;
        }
      }
      if (!whole) {
        problems.add(
            "%s is damaged after byte %d. The calls recorded there are lost"
                .formatted(segment.path(), segment.end()));
      }
    }
  }
}
