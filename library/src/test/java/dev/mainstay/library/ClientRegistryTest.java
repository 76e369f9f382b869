package dev.mainstay.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mainstay.library.testing.VirtualTimer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClientRegistryTest {
  /** A shared client that notices use after its closing. */
  private static final class Client implements AutoCloseable {
    private final AtomicInteger using = new AtomicInteger();
    private volatile boolean closed;
    volatile boolean closedUnderUse;

    String ask() {
      using.incrementAndGet();
      try {
        if (closed) {
          throw new IllegalStateException("Cannot send a request, as the client has been closed.");
        }
        return "answer";
      } finally {
        using.decrementAndGet();
      }
    }

    @Override
    public void close() {
      closedUnderUse |= using.get() > 0 || closed;
      closed = true;
    }
  }

  private final List<Client> made = Collections.synchronizedList(new ArrayList<>());
  private final ClientRegistry<Client> registry = registry();
  private final Mainstay mainstay =
      Mainstay.builder().policy(BlockingTest.plain()).timer(new VirtualTimer()).build();

  private ClientRegistry<Client> registry() {
    try {
      return new ClientRegistry<>(
          () -> {
            var client = new Client();
            made.add(client);
            return client;
          });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anOldGenerationIsClosedWhenItsLastLeaseIsBack() throws Exception {
    var first = registry.lease();
    var second = registry.lease();
    registry.reload();
    assertThat(registry.generation()).isEqualTo(2);
    assertThat(registry.retired()).isEqualTo(1);
    try (var fresh = registry.lease()) {
      assertThat(fresh.client()).isSameAs(made.get(1));
    }
    first.close();
    first.close();
    assertThat(made.get(0).closed).isFalse();
    second.close();
    assertThat(made.get(0).closed).isTrue();
    assertThat(registry.retired()).isZero();
    assertThat(made.get(1).closed).isFalse();
    assertThatThrownBy(first::client).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anUnusedGenerationIsClosedAtOnce() throws Exception {
    registry.reload();
    assertThat(made.get(0).closed).isTrue();
  }

  @Test
  void aFactoryThatFailsLeavesTheGenerationAsItWas() throws Exception {
    var calls = new int[1];
    var fragile =
        new ClientRegistry<>(
            () -> {
              if (calls[0]++ > 0) {
                throw new java.io.IOException("no such host");
              }
              return new Client();
            });
    assertThatThrownBy(fragile::reload).hasMessage("no such host");
    assertThat(fragile.generation()).isEqualTo(1);
    assertThat(fragile.lease().client().ask()).isEqualTo("answer");
  }

  @Test
  void shuttingDownWaitsForTheLeases() {
    var lease = registry.lease();
    registry.close();
    registry.close();
    assertThatThrownBy(registry::lease).isInstanceOf(IllegalStateException.class);
    assertThat(lease.client().ask()).isEqualTo("answer");
    lease.close();
    assertThat(made.get(0).closed).isTrue();
    assertThat(made.get(0).closedUnderUse).isFalse();
  }

  @Test
  void aClosedClientLeadsToExactlyOneRetryOnAFreshLease() throws Exception {
    made.get(0).close(); // somebody else did, and should not have
    var call = mainstay.wrap("openai/gpt-4o", registry, Client::ask);
    assertThat(call.call()).isEqualTo("answer");
    assertThat(registry.generation()).isEqualTo(2);
    assertThat(call.call()).isEqualTo("answer");
    assertThat(registry.generation()).isEqualTo(2);
  }

  @Test
  void aClientThatIsAlwaysClosedEndsAfterThatOneRetry() {
    var calls = new AtomicInteger();
    var closed = new IllegalStateException("Cannot send a request, as the client has been closed.");
    var call =
        mainstay.wrap(
            "openai/gpt-4o",
            registry,
            _ -> {
              calls.incrementAndGet();
              throw closed;
            });
    assertThat(catchThrowable(call::call)).isSameAs(closed);
    assertThat(calls).hasValue(2);
    assertThat(registry.generation()).isEqualTo(2);
  }

  @Test
  void ofManyCallsThatFindOneClientClosedOneBuildsTheNext() throws Exception {
    int callers = 16;
    made.get(0).close();
    var allFailed = new CyclicBarrier(callers);
    var call =
        mainstay.wrap(
            "openai/gpt-4o",
            registry,
            client -> {
              if (client == made.get(0)) {
                allFailed.await();
              }
              return client.ask();
            });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        answers.add(threads.submit(call));
      }
      for (var answer : answers) {
        assertThat(answer.get()).isEqualTo("answer");
      }
    }
    assertThat(made).hasSize(2);
  }

  @Test
  void noClientIsClosedUnderACallWhileOthersReload() throws Exception {
    var failures = new AtomicInteger();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var go = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        threads.submit(
            () -> {
              go.await();
              for (int k = 0; k < 2_000; k++) {
                try (var lease = registry.lease()) {
                  lease.client().ask();
                } catch (RuntimeException e) {
                  failures.incrementAndGet();
                }
              }
              return null;
            });
      }
      threads.submit(
          () -> {
            go.await();
            for (int k = 0; k < 500; k++) {
              registry.reload();
            }
            return null;
          });
      go.countDown();
    }
    assertThat(failures).hasValue(0);
    assertThat(registry.retired()).isZero();
    assertThat(made).hasSize(501).noneMatch(client -> client.closedUnderUse);
    assertThat(made.subList(0, 500)).allMatch(client -> client.closed);
  }

  @Test
  void anAsynchronousCallHoldsItsLeaseUntilTheAnswer() throws Exception {
    var stage = new CompletableFuture<String>();
    var answer = mainstay.wrapAsync("openai/gpt-4o", registry, _ -> stage).call();
    registry.reload();
    assertThat(made.get(0).closed).isFalse();
    stage.complete("late");
    assertThat(answer).isCompletedWithValue("late");
    assertThat(made.get(0).closed).isTrue();
  }

  @Test
  void anAsynchronousCallIsRetriedOnAFreshLeaseToo() {
    made.get(0).close();
    var answer =
        mainstay
            .wrapAsync(
                "openai/gpt-4o",
                registry,
                client -> CompletableFuture.completedFuture(client).thenApply(Client::ask))
            .call();
    assertThat(answer).isCompletedWithValue("answer");
    assertThat(registry.generation()).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // what a program does wrong
  void aCallThatGivesNothingGivesItsLeaseBackAndFails() throws Exception {
    var answer = mainstay.<Client, String>wrapAsync("openai/gpt-4o", registry, _ -> null).call();
    assertThat(answer).isCompletedExceptionally();
    registry.reload();
    assertThat(made.get(0).closed).isTrue();
    assertThat(mainstay.<String>wrapAsync("openai/gpt-4o", () -> null).call())
        .isCompletedExceptionally();
  }

  @Test
  void aPublisherThatCannotBeSubscribedToGivesItsLeaseBack() throws Exception {
    var publisher =
        mainstay
            .<Client, String>wrapPublisher(
                "openai/gpt-4o",
                registry,
                _ ->
                    subscriber -> {
                      throw new IllegalStateException("no subscriber is taken");
                    })
            .publisher();
    publisher.subscribe(
        new Flow.Subscriber<String>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
          }

          @Override
          public void onNext(String chunk) {}

          @Override
          public void onError(Throwable failure) {}

          @Override
          public void onComplete() {}
        });
    registry.reload();
    assertThat(made.get(0).closed).isTrue();
  }

  @Test
  void cancellingAnAsynchronousCallReachesTheClientsFuture() {
    var stage = new CompletableFuture<String>();
    mainstay.wrapAsync("openai/gpt-4o", registry, _ -> stage).call().cancel(true);
    assertThat(stage).isCancelled();
  }

  @Test
  void aStreamHoldsItsLeaseUntilItIsClosed() throws Exception {
    var streaming = mainstay.wrapStream("openai/gpt-4o", registry, _ -> Stream.of("a", "b"));
    try (var stream = streaming.open()) {
      assertThat(stream.next()).isEqualTo("a");
      registry.reload();
      assertThat(made.get(0).closed).isFalse();
    }
    assertThat(made.get(0).closed).isTrue();
  }
}
