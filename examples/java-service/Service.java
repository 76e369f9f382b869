import com.sun.net.httpserver.HttpServer;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.library.Mainstay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A service that asks two providers itself: retries, breakers and fallback by the library. */
public final class Service {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Mainstay MAINSTAY = Mainstay.with(Policy.defaults());

  /** What a provider answered that is no success; the library reads status, headers and body. */
  static final class ProviderException extends IOException {
    private final HttpResponse<String> response;

    ProviderException(HttpResponse<String> response) {
      super("the provider answered " + response.statusCode());
      this.response = response;
    }

    public int statusCode() {
      return response.statusCode();
    }

    public String body() {
      return response.body();
    }

    public java.util.Map<String, java.util.List<String>> headers() {
      return response.headers().map();
    }
  }

  public static void main(String[] args) throws Exception {
    var base = System.getenv().getOrDefault("OPENAI_BASE_URL", "https://api.openai.com/v1");
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/ask",
        exchange -> {
          byte[] answer;
          int status = 200;
          try {
            answer =
                MAINSTAY
                    .wrap("openai/gpt-4o", () -> chat(base, "gpt-4o"))
                    .or("openai/gpt-4o-mini", () -> chat(base, "gpt-4o-mini"))
                    .call()
                    .getBytes(StandardCharsets.UTF_8);
          } catch (Exception e) {
            status = 502;
            answer = e.toString().getBytes(StandardCharsets.UTF_8);
          }
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    var url = "http://127.0.0.1:" + server.getAddress().getPort() + "/ask";
    System.out.println("listening at " + url);
    if (args.length > 0 && args[0].equals("--once")) {
      var asked = HttpRequest.newBuilder(URI.create(url)).build();
      System.out.println(
          "answer: " + HTTP.send(asked, HttpResponse.BodyHandlers.ofString()).body());
      server.stop(0);
    }
  }

  private static String chat(String base, String model) throws IOException, InterruptedException {
    var body =
        """
        {"model": "%s", "messages": [{"role": "user", "content": "Say that all is well."}]}\
        """
            .formatted(model);
    var response =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(base + "/chat/completions"))
                .header("content-type", "application/json")
                .header("authorization", "Bearer " + System.getenv("OPENAI_API_KEY"))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new ProviderException(response);
    }
    return response.body();
  }
}
