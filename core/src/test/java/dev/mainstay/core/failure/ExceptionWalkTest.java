package dev.mainstay.core.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExceptionWalkTest {
  private final ExceptionWalk walk = ExceptionWalk.standard();

  /** As the SDKs of OpenAI and Anthropic have it. */
  public static class ServiceException extends RuntimeException {
    ServiceException(String message) {
      super(message);
    }

    public int statusCode() {
      return 429;
    }

    public NamedHeaders headers() {
      return new NamedHeaders();
    }

    public Optional<String> body() {
      return Optional.of("{\"error\":{\"message\":\"slow down\"}}");
    }
  }

  /** Headers without a map. */
  public static class NamedHeaders {
    public Set<String> names() {
      return Set.of("Retry-After");
    }

    public List<String> values(String name) {
      return name.equals("Retry-After") ? List.of("7") : List.of();
    }
  }

  /** As Spring has it: the status is an object with a value. */
  public static class ClientException extends RuntimeException {
    public HttpStatus getStatusCode() {
      return new HttpStatus();
    }

    public String getResponseBodyAsString() {
      return "busy";
    }

    public Map<String, List<String>> getResponseHeaders() {
      return Map.of("retry-after", List.of("3"));
    }
  }

  /** A status. */
  public static class HttpStatus {
    public int value() {
      return 503;
    }
  }

  /** Every accessor breaks. */
  public static class Hostile extends RuntimeException {
    @Override
    public String getMessage() {
      throw new IllegalStateException("message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("cause");
    }

    public int statusCode() {
      throw new StackOverflowError();
    }

    public String body() {
      throw new NoClassDefFoundError();
    }
  }

  @Test
  void findsTheReplyHoweverDeep() {
    Throwable thrown = new ServiceException("429: slow down");
    for (int i = 0; i < 20; i++) {
      thrown = new RuntimeException("layer " + i, thrown);
    }
    var failure = walk.read("openai", thrown);
    assertThat(failure.status()).isEqualTo(429);
    assertThat(failure.headers().get("retry-after")).isEqualTo("7");
    assertThat(failure.body()).contains("slow down");
    assertThat(failure.text()).startsWith("java.lang.RuntimeException: layer 19");
  }

  @Test
  void readsAStatusThatIsAnObject() {
    var failure = walk.read(null, new ClientException());
    assertThat(failure.status()).isEqualTo(503);
    assertThat(failure.headers().get("retry-after")).isEqualTo("3");
    assertThat(failure.body()).isEqualTo("busy");
  }

  @Test
  void findsAClosedClientInSuppressedExceptions() {
    var outer = new IllegalStateException("request failed");
    outer.addSuppressed(
        new RuntimeException(
            new RuntimeException("Cannot send a request, as the client has been closed.")));
    assertThat(walk.read(null, outer).text()).contains("client has been closed");
  }

  @Test
  void cyclesEnd() {
    var first = new RuntimeException("first");
    var second = new RuntimeException("second", first);
    first.initCause(second);
    second.addSuppressed(first);
    var text = walk.read(null, second).text();
    assertThat(text).containsOnlyOnce("first").containsOnlyOnce("second");
  }

  @Test
  void hostileExceptionsAreSurvived() {
    var failure = walk.read(null, new RuntimeException("outer", new Hostile()));
    assertThat(failure.status()).isNull();
    assertThat(failure.text()).contains("Hostile");
  }

  @Test
  void textIsBounded() {
    Throwable thrown = new RuntimeException("deepest");
    for (int i = 0; i < 5_000; i++) {
      thrown = new RuntimeException("x".repeat(20_000), thrown);
    }
    assertThat(walk.read(null, thrown).text().length()).isLessThan(120_000);
  }

  @Test
  void anOwnReaderComesFirstAndMayFail() {
    var readers =
        List.<ThrowableReader>of(
            thrown -> {
              throw new IllegalStateException();
            },
            thrown -> new ThrowableReader.Found(402, Headers.none(), "no money"));
    var failure = ExceptionWalk.with(readers).read(null, new ServiceException("x"));
    assertThat(failure.status()).isEqualTo(402);
    assertThat(failure.body()).isEqualTo("no money");
  }

  @Test
  void headersComeByLowerCaseName() {
    var values = new HashMap<String, List<String>>();
    values.put("X-Should-Retry", List.of("false"));
    assertThat(Headers.of(values).get("x-should-retry")).isEqualTo("false");
  }
}
