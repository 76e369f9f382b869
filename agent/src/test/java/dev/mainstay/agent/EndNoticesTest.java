package dev.mainstay.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.wire.json.Tree;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a run is posted, signed, until it has arrived. */
@SuppressWarnings("NullAway.Init")
class EndNoticesTest {
  @TempDir Path directory;
  private RunScene.Store store;
  private RunScene scene;
  private HttpServer receiver;

  private record Post(String delivery, String signature, String timestamp, String body) {}

  private final BlockingQueue<Post> posts = new LinkedBlockingQueue<>();
  private int status = 500;

  @BeforeEach
  void open() throws Exception {
    store = new RunScene.Store(directory);
    scene = new RunScene(store);
    receiver = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          var headers = exchange.getRequestHeaders();
          posts.add(
              new Post(
                  headers.getFirst("x-mainstay-delivery"),
                  headers.getFirst("x-mainstay-signature"),
                  headers.getFirst("x-mainstay-timestamp"),
                  new String(exchange.getRequestBody().readAllBytes(), UTF_8)));
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void close() {
    receiver.stop(0);
    store.close();
  }

  @Test
  void anEndIsPostedAgainUntilItIsTakenAndThenNoMore() throws Exception {
    scene.notify("http://127.0.0.1:" + receiver.getAddress().getPort() + "/ended");
    scene.run("Help.");
    try (var notices = new EndNotices(scene.runStore(), scene.timing(), () -> "secret")) {
      notices.due();
      assertThat(posts).hasSize(1);
      notices.due();
      assertThat(posts).as("it pauses").hasSize(1);
      status = 204;
      scene.pass(Duration.ofMinutes(1));
      notices.due();
      scene.pass(Duration.ofDays(1));
      notices.due();
    }
    assertThat(posts).hasSize(2);
    assertThat(posts).extracting(Post::delivery).containsOnly("end_" + scene.id());
    var post = posts.peek();
    assertThat(post.signature()).isEqualTo(signature(post));
    var json = Tree.read(post.body());
    assertThat(json.path("run").stringValue()).isEqualTo(scene.id());
    assertThat(json.path("status").stringValue()).isEqualTo("completed");
    assertThat(json.path("output").stringValue()).isEqualTo("Done.");
  }

  @Test
  void aReceiverThatHangsKeepsNoOtherWaiting() throws Exception {
    scene.notify("http://127.0.0.1:" + receiver.getAddress().getPort() + "/ended");
    scene.run("Help.");
    var timing = scene.timing();
    var hanging =
        new Timing() {
          @Override
          public InstantSource clock() {
            return timing.clock();
          }

          @Override
          public void sleep(Duration duration) throws InterruptedException {
            timing.sleep(duration);
          }

          @Override
          public void all(Work work, int parallel) throws InterruptedException {
            assertThat(work.begin()).as("under way from now on").hasSize(1);
            scene.run("Help.");
            timing.all(work.begin(), parallel);
          }
        };
    try (var notices = new EndNotices(scene.runStore(), hanging, () -> null)) {
      notices.due();
    }
    assertThat(posts).extracting(Post::delivery).containsExactly("end_" + scene.id());
  }

  private static String signature(Post post) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("secret".getBytes(UTF_8), "HmacSHA256"));
    byte[] hash = mac.doFinal((post.timestamp() + "." + post.body()).getBytes(UTF_8));
    return "sha256=" + HexFormat.of().formatHex(hash);
  }
}
