package dev.mainstay.gateway.alert;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.config.Alerts;
import dev.mainstay.config.MailAddress;
import dev.mainstay.config.Secret;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.state.AlertLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong beside a delivery ends none of them, and makes no flood of them. */
@Timeout(180)
final class AlertSenderTest {
  private static final Instant NOW = Instant.parse("2026-11-21T19:00:00Z");

  private final FakeLog log = new FakeLog();
  private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private volatile Alerts config = Alerts.DEFAULTS;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          var delivery = exchange.getRequestHeaders().getFirst("x-mainstay-delivery");
          bodies.add(new String(exchange.getRequestBody().readAllBytes(), US_ASCII));
          arrived.add(delivery == null ? exchange.getRequestURI().getPath() : delivery);
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    config = to("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private static Alerts to(String url) {
    return Declaration.with(
        Alerts.DEFAULTS, Map.of("webhook", new Alerts.Webhook(URI.create(url), new Secret("s"))));
  }

  private AlertSender sender() {
    return AlertSender.start(
        log, () -> config, InstantSource.fixed(NOW), outcomes::add, Duration.ofMillis(1));
  }

  private @Nullable String next() throws InterruptedException {
    return arrived.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void goesOnAfterAFailureThatNobodyForesaw() throws Exception {
    log.raise("a");
    log.dueFails = 3;
    try (var sender = sender()) {
      sender.wake();
      assertThat(next()).isEqualTo("a");
      assertThat(outcomes).contains("error");
    }
  }

  @Test
  void deliversAtOnceWhatAnotherInstanceLeft() throws Exception {
    try (var sender = sender()) {
      log.looked.await();
      log.raise("a");
      log.leftBehind.forEach(Runnable::run);
      assertThat(next()).isEqualTo("a");
    }
  }

  @Test
  void anAlertThatCannotBeSentKeepsNoOtherFromItsReceiver() throws Exception {
    config = to("ftp://127.0.0.1/hook");
    log.raise("a");
    try (var sender = sender()) {
      sender.wake();
      assertThat(log.failed.poll(60, TimeUnit.SECONDS))
          .isEqualTo("a: webhook: Mainstay cannot send it (IllegalArgumentException)");
      config = to("http://127.0.0.1:" + server.getAddress().getPort());
      log.raise("b");
      sender.wake();
      assertThat(next()).isEqualTo("b");
    }
  }

  @Test
  void whatArrivedIsNotSentAgainBecauseItsArrivalCannotBeNoted() throws Exception {
    log.raise("a");
    log.noteFails = 5;
    try (var sender = sender()) {
      sender.wake();
      assertThat(next()).isEqualTo("a");
      assertThat(log.noted.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
      log.raise("b");
      sender.wake();
      assertThat(next()).isEqualTo("b");
      assertThat(arrived).isEmpty();
    }
  }

  @Test
  void aReceiverThatNeverEndsItsAnswerKeepsNoAlertWaiting() throws Exception {
    log.raise("a");
    try (var lying = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      config = to("http://127.0.0.1:" + lying.getLocalPort());
      try (var sender = sender()) {
        sender.wake();
        try (var begun = lying.accept()) {
          begun
              .getOutputStream()
              .write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n".getBytes(US_ASCII));
          assertThat(log.noted.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
        }
      }
    }
  }

  @Test
  void slackGetsItsOwnForm() throws Exception {
    config =
        Declaration.with(
            Alerts.DEFAULTS,
            Map.of(
                "slack",
                new Alerts.Slack(
                    requireNonNull(config.webhook()).url().resolve("/services/T/B/x"))));
    log.raise("a", "spent <all> & more");
    try (var sender = sender()) {
      sender.wake();
      assertThat(next()).isEqualTo("/services/T/B/x");
      assertThat(bodies.poll(60, TimeUnit.SECONDS))
          .isEqualTo(
              "{\"text\":\"*Mainstay: failure*\\nspent &lt;all&gt; &amp; more\\nRaised at"
                  + " 2026-11-21T19:00:00Z.\"}");
    }
  }

  @Test
  void mailGoesToEveryRecipientWithItsPassword() throws Exception {
    try (var mail = new MailServer()) {
      config = mailing(mail, "alerts:pass%20word@");
      log.raise("a", "the breaker of one/m is open");
      try (var sender = sender()) {
        sender.wake();
        var heard = mail.mails.poll(60, TimeUnit.SECONDS);
        assertThat(heard)
            .contains(
                "MAIL FROM:<mainstay@example.com>",
                "RCPT TO:<one@example.com>",
                "RCPT TO:<two@example.com>",
                "Subject: Mainstay: failure",
                "X-Mainstay-Delivery: a",
                "the breaker of one/m is open",
                "AUTH PLAIN "
                    + Base64.getEncoder()
                        .encodeToString("alerts\0alerts\0pass word".getBytes(US_ASCII)));
        assertThat(log.noted.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
      }
    }
  }

  @Test
  void aWrongAddressKeepsNoMailFromTheOthersWhoGetItOnce() throws Exception {
    try (var mail = new MailServer()) {
      mail.refuses = "<one@";
      config = mailing(mail, "");
      log.raise("a");
      try (var sender = sender()) {
        sender.wake();
        assertThat(mail.mails.poll(60, TimeUnit.SECONDS))
            .contains("RCPT TO:<two@example.com>", "X-Mainstay-Delivery: a")
            .contains("To: one@example.com, =?UTF-8?Q?Zo=C3=AB?= <two@example.com>")
            .anyMatch(line -> line.matches("Message-ID: <.+@example\\.com>"));
        assertThat(log.noted.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
        assertThat(log.failed).isEmpty();
      }
    }
  }

  @Test
  void onlyTheChannelThatFailedIsTriedAgain() throws Exception {
    try (var mail = new MailServer()) {
      mail.refuses = "<";
      config = Declaration.with(config, Map.of("email", requireNonNull(mailing(mail, "").email())));
      log.keepsFailed = true;
      log.raise("a");
      try (var sender = sender()) {
        sender.wake();
        assertThat(next()).isEqualTo("a");
        assertThat(log.failed.poll(60, TimeUnit.SECONDS))
            .isEqualTo(
                "a: the mail server 127.0.0.1 did not accept it (SMTPAddressFailedException)");
        mail.refuses = "<-";
        sender.wake();
        assertThat(mail.mails.poll(60, TimeUnit.SECONDS)).contains("X-Mainstay-Delivery: a");
        assertThat(log.noted.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
        assertThat(arrived).as("the webhook has it already").isEmpty();
      }
    }
  }

  private static Alerts mailing(MailServer mail, String login) {
    return Declaration.with(
        Alerts.DEFAULTS,
        Map.of(
            "email",
            new Alerts.Email(
                URI.create("smtp://%s127.0.0.1:%d".formatted(login, mail.port())),
                new MailAddress(null, "mainstay@example.com"),
                List.of(
                    new MailAddress(null, "one@example.com"),
                    new MailAddress("Zoë", "two@example.com")))));
  }

  /** Keeps alerts in memory, and fails as often as it is told to. */
  private static final class FakeLog implements AlertLog {
    private final List<Alert> pending = new ArrayList<>();
    final BlockingQueue<String> noted = new LinkedBlockingQueue<>();
    final BlockingQueue<String> failed = new LinkedBlockingQueue<>();
    final List<Runnable> leftBehind = new CopyOnWriteArrayList<>();
    final CountDownLatch looked = new CountDownLatch(1);
    volatile int dueFails;
    volatile int noteFails;
    volatile boolean keepsFailed;

    void raise(String id) {
      raise(id, "m");
    }

    synchronized void raise(String id, String message) {
      pending.add(
          new Alert(
              id,
              id,
              "failure",
              message,
              NOW,
              0,
              new Delivery(DeliveryState.PENDING, 0, NOW, null)));
    }

    @Override
    public CompletionStage<Boolean> raise(
        String id,
        String cause,
        String kind,
        String message,
        int suppressed,
        Instant now,
        Duration throttle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public synchronized CompletionStage<List<Alert>> due(Instant now, int limit) {
      if (dueFails-- > 0) {
        throw new IllegalStateException("nobody foresaw this");
      }
      return completedFuture(List.copyOf(pending));
    }

    @Override
    public void onLeftBehind(Runnable listener) {
      leftBehind.add(listener);
    }

    @Override
    public synchronized CompletionStage<List<Instant>> next() {
      looked.countDown();
      return completedFuture(pending.isEmpty() ? List.of() : List.of(NOW));
    }

    @Override
    public synchronized CompletionStage<Boolean> delivered(String id) {
      if (noteFails-- > 0) {
        return CompletableFuture.failedFuture(new LedgerException("the disk is full"));
      }
      pending.removeIf(alert -> alert.id().equals(id));
      noted.add(id);
      return completedFuture(true);
    }

    @Override
    public synchronized CompletionStage<Boolean> failed(
        String id, @Nullable Instant nextAt, String trouble) {
      if (!keepsFailed) {
        pending.removeIf(alert -> alert.id().equals(id));
      }
      failed.add(id + ": " + trouble);
      return completedFuture(true);
    }

    @Override
    public CompletionStage<List<Alert>> page(@Nullable String before, int limit) {
      throw new UnsupportedOperationException();
    }
  }
}
