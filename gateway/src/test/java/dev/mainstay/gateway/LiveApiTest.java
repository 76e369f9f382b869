package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.admin.LiveFeed;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a page sees of calls as they happen. */
@Timeout(180)
final class LiveApiTest {
  @TempDir private Path folder;

  private record Event(String id, String name, String data) {}

  private static final class Listener implements AutoCloseable {
    private final BufferedReader lines;

    Listener(HttpClient client, String url, String last) throws Exception {
      var request = HttpRequest.newBuilder(URI.create(url + "/api/live"));
      if (!last.isEmpty()) {
        request.header("last-event-id", last);
      }
      var response = client.send(request.build(), BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
      // The stream has begun, and its place is taken.
      assertThat(lines.readLine()).isEqualTo("retry: 2000");
    }

    Event next() throws Exception {
      String id = "";
      String name = "";
      for (var line = line(); ; line = line()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else if (line.startsWith("data: ")) {
          return new Event(id, name, line.substring(6));
        }
      }
    }

    List<Event> untilEnded() throws Exception {
      var events = new ArrayList<Event>();
      do {
        events.add(next());
      } while (!events.getLast().name().equals("call.ended"));
      return events;
    }

    private String line() throws Exception {
      return Objects.requireNonNull(lines.readLine(), "the stream ended");
    }

    @Override
    public void close() throws Exception {
      lines.close();
    }
  }

  @Test
  void aListenerSeesCallsAsTheyHappenAndResumesWhereItWas() throws Exception {
    try (var provider = new ScriptedProvider();
        var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
        var client = HttpClient.newHttpClient();
        var gateway = Harness.over(ledger, provider, "")) {
      var url = "http://127.0.0.1:" + gateway.port();
      List<Event> seen;
      try (var listener = new Listener(client, url, "")) {
        ask(client, url);
        seen = listener.untilEnded();
      }
      assertThat(seen)
          .extracting(Event::name)
          .containsExactly("call.started", "call.attempted", "call.ended");
      // As in lists, whose times are the store's.
      assertThat(seen).noneMatch(event -> event.data().matches(".*\\.\\d{7,}Z.*"));
      assertThat(seen.getLast().data()).contains("\"target\":\"one/gpt-4o\"", "\"status\":200");

      ask(client, url);
      try (var again = new Listener(client, url, seen.getFirst().id())) {
        var missed = again.untilEnded();
        assertThat(missed.getFirst()).isEqualTo(seen.get(1));
        assertThat(again.untilEnded()).hasSize(3);
      }
      try (var ofAnother = new Listener(client, url, "0-17")) {
        assertThat(ofAnother.next().name()).isEqualTo("resync");
      }
    }
  }

  @Test
  void theFeedForgetsWhatIsOldAndSaysSo() {
    var feed = new LiveFeed(InstantSource.system());
    for (int i = 0; i < 10_000; i++) {
      feed.add(i);
    }
    assertThat(feed.from(0, 10)).isNull();
    assertThat(feed.from(9_990, 100)).hasSize(10).startsWith(9_990);
    assertThat(feed.from(10_000, 100)).isEmpty();
    assertThat(feed.from(10_001, 100)).isNull();
  }

  private static void ask(HttpClient client, String url) throws Exception {
    var asked =
        client.send(
            HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
                .POST(HttpRequest.BodyPublishers.ofString(Harness.ask("one/gpt-4o", false)))
                .build(),
            BodyHandlers.discarding());
    assertThat(asked.statusCode()).isEqualTo(200);
  }
}
