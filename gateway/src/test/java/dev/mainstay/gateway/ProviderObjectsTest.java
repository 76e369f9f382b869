package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.ScriptedProvider.ReceivedRequest;
import dev.mainstay.http.Exchange;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What names an object that a provider keeps goes to the target and the key that made it. */
@Timeout(180)
final class ProviderObjectsTest {
  private static final Pattern ID = Pattern.compile("\"id\": ?\"(resp_[^\"]+)\"");
  private static final String CLIENTS =
      """
      clients:
        - { name: ann, key: "client-key-of-ann-0001" }
        - { name: bob, key: "client-key-of-bob-0002" }
      """;

  private final TemporaryState state = new TemporaryState();
  private final AtomicInteger number = new AtomicInteger();
  private final Harness h =
      new Harness("recovery: { retry: { initial-delay: 1ms } }\n", "drain: 2s", state.state());

  @BeforeEach
  void twoAccountsEach() {
    h.one.otherwise(answer());
    h.two.otherwise(answer());
    reload("balance: weighted", "");
  }

  @AfterEach
  void close() {
    h.close();
    state.close();
  }

  private void reload(String balance, String more) {
    reload(balance, more, "\"sk-first-of-one-0001\", \"sk-second-of-one-0002\"");
  }

  private void reload(String balance, String more, String keysOfOne) {
    h.gateway.reload(
        Harness.parsed(
            """
            server: { port: 0, drain: 2s }
            recovery: { retry: { initial-delay: 1ms, patience: 3s } }
            providers:
              one: { dialect: openai, base-url: "%s/v1", keys: [%s] }
              two: { dialect: openai, base-url: "%s/v1", keys: ["sk-first-of-two-0001", "sk-second-of-two-0002"] }
            models:
              both: { %s, targets: [one/m, two/m, one/other] }
              late: { targets: [two/m] }
            """
                    .formatted(h.one.url(), keysOfOne, h.two.url(), balance)
                + more));
  }

  /** A response with an id that was never given before. */
  private Consumer<Exchange> answer() {
    return exchange -> {
      var id = "resp_" + number.incrementAndGet();
      var response =
          """
          {"id":"%s","object":"response","status":"%s","model":"m","output":[%s]%s}\
          """;
      var item =
          """
          {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]}\
          """;
      var usage = ",\"usage\":{\"input_tokens\":5,\"output_tokens\":1,\"total_tokens\":6}";
      var whole = response.formatted(id, "completed", item, usage);
      var body = exchange.body().toString(StandardCharsets.UTF_8);
      (body.contains("\"stream\":true")
              ? sse(
                  List.of(
                      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":%s}\n\n"
                          .formatted(response.formatted(id, "in_progress", "", "")),
                      "event: response.output_text.delta\n"
                          + "data:"
                          + " {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"delta\":\"Hi\"}\n\n",
                      "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":%s}\n\n"
                          .formatted(whole)))
              : json(200, whole))
          .accept(exchange);
    };
  }

  private record Place(String provider, String key) {}

  /** Who was asked last, and with which key. */
  private Place last() {
    var one = h.one.asked.isEmpty() ? null : h.one.asked.getLast();
    var two = h.two.asked.isEmpty() ? null : h.two.asked.getLast();
    boolean first = two == null || (one != null && one.atNanos() - two.atNanos() > 0);
    ReceivedRequest asked = requireNonNull(first ? one : two);
    return new Place(first ? "one" : "two", requireNonNull(asked.headers().get("authorization")));
  }

  private HttpResponse<String> create(String model, boolean stream, String... headers) {
    return h.post(
        "/v1/responses",
        "{\"model\":\"%s\",\"stream\":%s,\"input\":\"hello %d\"}"
            .formatted(model, stream, number.get()),
        headers);
  }

  private HttpResponse<String> goOn(String model, String id, String... headers) {
    return h.post(
        "/v1/responses",
        "{\"model\":\"%s\",\"input\":\"and?\",\"previous_response_id\":\"%s\"}"
            .formatted(model, id),
        headers);
  }

  private static String id(HttpResponse<String> answer) {
    var found = ID.matcher(answer.body());
    assertThat(found.find()).as(answer.body()).isTrue();
    return found.group(1);
  }

  private Map<String, Place> made(int count, boolean stream) {
    var made = new LinkedHashMap<String, Place>();
    for (int i = 0; i < count; i++) {
      made.put(id(create("both", stream)), last());
    }
    // By chance alone one of these would be missing once in a million years of builds.
    assertThat(made.values()).extracting(Place::provider).contains("one", "two");
    assertThat(made.values().stream().distinct().count()).isGreaterThan(2);
    return made;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aResponseIsGoneOnWithWhereItWasMade(boolean stream) {
    made(40, stream)
        .forEach(
            (id, place) -> {
              assertThat(goOn("both", id).statusCode()).isEqualTo(200);
              assertThat(last()).as(id).isEqualTo(place);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"balance: least-busy", "balance: fastest-first-token", "balance: order"})
  void whateverTheBalance(String balance) {
    var made = made(40, false);
    reload(balance, "");
    made.forEach(
        (id, place) -> {
          goOn("both", id);
          assertThat(last()).as(id).isEqualTo(place);
        });
  }

  @Test
  void anUnknownIdGoesToTheFirstTarget() {
    reload("balance: order", "");
    for (int i = 0; i < 5; i++) {
      assertThat(goOn("both", "resp_elsewhere" + i).statusCode()).isEqualTo(200);
      assertThat(last().provider()).isEqualTo("one");
    }
  }

  @Test
  void whatIsNotKeptIsNotRemembered() {
    var answer =
        h.post("/v1/responses", "{\"model\":\"late\",\"input\":\"hello\",\"store\":false}");
    reload("balance: order", "");
    goOn("both", id(answer));
    assertThat(last().provider()).isEqualTo("one");
  }

  @Test
  void anotherClientsResponseIsNotThere() {
    reload("balance: order", CLIENTS);
    var ann = new String[] {"authorization", "Bearer client-key-of-ann-0001"};
    var bob = new String[] {"authorization", "Bearer client-key-of-bob-0002"};
    var id = id(create("both", false, ann));
    int asked = h.one.asked.size();
    var refused = goOn("both", id, bob);
    assertThat(refused.statusCode()).isEqualTo(404);
    assertThat(refused.body()).contains("object_not_found");
    // However the name or the id is written.
    var hidden =
        h.post(
            "/v1/responses",
            "{\"model\":\"both\",\"input\":\"and?\",\"previous_response\\u005fid\":\"\\u0072%s\"}"
                .formatted(id.substring(1)),
            bob);
    assertThat(hidden.statusCode()).isEqualTo(404);
    assertThat(h.one.asked).hasSize(asked);
    assertThat(goOn("both", id, ann).statusCode()).isEqualTo(200);
  }

  @Test
  void aRouteWithoutItsTargetSaysSo() {
    reload("balance: order", "");
    var id = id(create("both", false));
    var refused = goOn("late", id);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("object_target_gone")
        .contains(id + " exists only at one/m")
        .contains("this request can only go to two");
    assertThat(header(refused, "x-should-retry")).isEqualTo("false");
    assertThat(h.two.asked).isEmpty();
  }

  @Test
  void aProviderThatIsGoneIsNamed() {
    var id = id(create("late", false));
    h.gateway.reload(
        Harness.parsed(
            """
            server: { port: 0, drain: 2s }
            providers:
              one: { dialect: openai, base-url: "%s/v1", keys: ["sk-first-of-one-0001"] }
            """
                .formatted(h.one.url())));
    var refused = goOn("one/m", id);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains(id + " exists only at two/m")
        .contains("the configuration no longer has a provider two");
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void aKeyThatIsGoneIsSaidWhereAnotherIsNotSurelyTheSameAccounts() {
    reload("balance: order", "");
    var id = id(create("both", false));
    reload("balance: order", "", "\"sk-third-of-one-0003\", \"sk-fourth-of-one-0004\"");
    assertThat(goOn("both", id).body())
        .contains("the key that made it is not among the keys of one any more");
    // One key alone in the place of others: it was changed.
    reload("balance: order", "", "\"sk-fifth-of-one-00005\"");
    assertThat(goOn("both", id).statusCode()).isEqualTo(200);
    assertThat(last()).isEqualTo(new Place("one", "Bearer sk-fifth-of-one-00005"));
  }

  /** It waits for its key, though another is free and another target is there. */
  @Test
  void aKeyThatRestsIsWaitedFor() {
    reload("balance: order", "");
    var id = id(create("both", false));
    var place = last();
    h.one.then(
        error(429, "rate_limit_exceeded", "rate_limit_exceeded", "Slow down", "retry-after", "1"));
    assertThat(goOn("both", id).statusCode()).isEqualTo(200);
    assertThat(last()).isEqualTo(place);
    assertThat(h.two.asked).isEmpty();
    assertThat(h.one.asked)
        .extracting(asked -> asked.headers().get("authorization"))
        .containsOnly(place.key());
  }

  @Test
  void aFailureIsNeitherGivenToAnotherTargetNorToAnotherKey() {
    reload("balance: order", "");
    var id = id(create("both", false));
    var place = last();
    h.one.otherwise(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"));
    assertThat(goOn("both", id).statusCode()).isEqualTo(401);
    assertThat(h.two.asked).isEmpty();
    assertThat(h.one.asked)
        .extracting(asked -> asked.headers().get("authorization"))
        .containsOnly(place.key());
  }

  @Test
  void objectsOfTwoAccountsDoNotMeet() {
    var made = made(40, false);
    var places = new LinkedHashMap<Place, String>();
    made.forEach((id, place) -> places.putIfAbsent(place, id));
    var ids = List.copyOf(places.values());
    var refused =
        h.post(
            "/v1/responses",
            "{\"model\":\"both\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"file_id\":\"%s\"}]}],\"previous_response_id\":\"%s\"}"
                .formatted(ids.get(0), ids.get(1)));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("objects_apart");
  }

  // ---- what passes through

  /** A provider that gives what is made an id, and says of whom else is asked that it is there. */
  private Consumer<Exchange> files() {
    return exchange -> {
      boolean post = exchange.method().equals("POST");
      var collection = exchange.path().substring(exchange.path().lastIndexOf('/') + 1);
      json(
              200,
              post
                  ? "{\"id\":\"%s-%d\",\"object\":\"%s\"}"
                      .formatted(collection, number.incrementAndGet(), collection)
                  : "{\"object\":\"there\",\"output_file_id\":\"file-out-%d\"}"
                      .formatted(number.get()))
          .accept(exchange);
    };
  }

  private static String field(HttpResponse<String> answer, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(answer.body());
    assertThat(found.find()).as(answer.body()).isTrue();
    return found.group(1);
  }

  private void filesAtBoth() {
    h.one.otherwise(files());
    h.two.otherwise(files());
  }

  private HttpResponse<String> delete(String path) throws Exception {
    return h.client.send(
        HttpRequest.newBuilder(URI.create(h.url() + path)).DELETE().build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "batches", "vector_stores", "threads", "conversations"})
  void anObjectIsReadUsedAndDeletedWhereItWasMade(String collection) throws Exception {
    filesAtBoth();
    for (var provider : List.of("two", "one", "two")) {
      var id = field(h.post("/providers/" + provider + "/" + collection, "{}"), "id");
      var place = last();
      assertThat(place.provider()).isEqualTo(provider);
      var path = "/v1/" + collection + "/" + id;
      assertThat(h.get(path).statusCode()).isEqualTo(200);
      assertThat(last()).as(path).isEqualTo(place);
      assertThat(h.get(path.replace("-", "%2D") + "/content").statusCode()).isEqualTo(200);
      assertThat(last()).isEqualTo(place);
      assertThat(h.post(path + "/cancel", "").statusCode()).isEqualTo(200);
      assertThat(last()).isEqualTo(place);
      assertThat(delete(path).statusCode()).isEqualTo(200);
      assertThat(last()).isEqualTo(place);
    }
  }

  @Test
  void aFileIsUsedByAModelCallWhereItWasUploaded() {
    filesAtBoth();
    var id = field(h.post("/providers/two/files", "bytes"), "id");
    var place = last();
    h.one.otherwise(answer());
    h.two.otherwise(answer());
    for (var body :
        List.of(
            "{\"model\":\"both\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\",\"file_id\":\"%s\"}]}]}",
            "{\"model\":\"both\",\"input\":\"hi\",\"tools\":[{\"type\":\"file_search\",\"vector_store_ids\":[\"%s\"]}]}")) {
      for (int i = 0; i < 10; i++) {
        assertThat(h.post("/v1/responses", body.formatted(id)).statusCode()).isEqualTo(200);
        assertThat(last()).isEqualTo(place);
      }
    }
  }

  /** The file of a batch, and the files that the batch leads to. */
  @Test
  void whatAnObjectLeadsToStaysWithIt() {
    filesAtBoth();
    var file = field(h.post("/providers/two/files", "bytes"), "id");
    var place = last();
    var batch = h.post("/v1/batches", "{\"input_file_id\":\"" + file + "\"}");
    assertThat(last()).isEqualTo(place);
    var done = h.get("/v1/batches/" + field(batch, "id"));
    assertThat(last()).isEqualTo(place);
    h.get("/v1/files/" + field(done, "output_file_id") + "/content");
    assertThat(last()).isEqualTo(place);
  }

  @Test
  void aResponseIsReadWhereItWasMade() {
    var made = made(40, false);
    filesAtBoth();
    made.forEach(
        (id, place) -> {
          assertThat(h.get("/v1/responses/" + id).statusCode()).isEqualTo(200);
          assertThat(last()).as(id).isEqualTo(place);
        });
  }

  @Test
  void anotherClientsFileIsNotThere() {
    reload("balance: order", CLIENTS);
    filesAtBoth();
    var ann = new String[] {"authorization", "Bearer client-key-of-ann-0001"};
    var bob = new String[] {"authorization", "Bearer client-key-of-bob-0002"};
    var id = field(h.post("/v1/files", "bytes", ann), "id");
    for (var path :
        List.of(
            "/v1/files/" + id,
            "/providers/one/files/" + id + "/content",
            "/v1/files/%66" + id.substring(1))) {
      var refused = h.get(path, bob);
      assertThat(refused.statusCode()).as(path).isEqualTo(404);
      assertThat(refused.body()).contains("object_not_found");
    }
    assertThat(h.post("/v1/batches", "{\"input_file_id\":\"" + id + "\"}", bob).statusCode())
        .isEqualTo(404);
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.get("/v1/files/" + id, ann).statusCode()).isEqualTo(200);
  }

  @Test
  void aFileOfAnotherProviderIsSaidToBeElsewhere() {
    filesAtBoth();
    var id = field(h.post("/providers/two/files", "bytes"), "id");
    var refused = h.get("/providers/one/files/" + id);
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains(id + " exists only at two");
    assertThat(h.one.asked).isEmpty();
  }

  /** As a model call: a place at the target, and its breaker. */
  @Test
  void whatPassesThroughFindsAnOpenBreaker() {
    h.gateway.reload(
        h.config(
            "recovery: { retry: { initial-delay: 1ms },"
                + " breaker: { consecutive-failures: 5, open: 1h, max-open: 1h } }\n"));
    h.one.otherwise(error(500, "server_error", "", "The server had an error"));
    int status = 0;
    for (int i = 0; i < 100 && status != 503; i++) {
      status = h.post("/providers/one/files", "{}").statusCode();
    }
    assertThat(status).isEqualTo(503);
    int asked = h.one.asked.size();
    assertThat(h.post("/providers/one/files", "{}").statusCode()).isEqualTo(503);
    assertThat(h.one.asked).hasSize(asked);
  }
}
