package dev.mainstay.library;

import static dev.mainstay.library.Provider.down;
import static dev.mainstay.library.Provider.invalid;
import static dev.mainstay.library.Provider.limited;
import static dev.mainstay.library.Provider.noMoney;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.library.testing.VirtualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PublishingTest {
  private final VirtualTimer timer = new VirtualTimer();
  private final Mainstay mainstay =
      Mainstay.builder().policy(BlockingTest.plain()).timer(timer).build();
  private final List<Source> sources = new ArrayList<>();

  /** A publisher that hands over what it is told, and counts what it is asked for. */
  private final class Source implements Flow.Publisher<String>, Flow.Subscription {
    private Flow.@Nullable Subscriber<? super String> subscriber;
    long asked;
    long given;
    boolean cancelled;

    Source() {
      sources.add(this);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super String> to) {
      subscriber = to;
      to.onSubscribe(this);
    }

    @Override
    public void request(long n) {
      asked += n;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    Source gives(String... chunks) {
      for (var chunk : chunks) {
        assertThat(given++).as("asked for before it was given").isLessThan(asked);
        to().onNext(chunk);
      }
      return this;
    }

    void ends() {
      to().onComplete();
    }

    void fails(Throwable with) {
      to().onError(with);
    }

    private Flow.Subscriber<? super String> to() {
      var known = subscriber;
      if (known == null) {
        throw new AssertionError("nobody subscribed");
      }
      return known;
    }
  }

  /** What a subscriber was told. */
  private static class RecordingSubscriber implements Flow.Subscriber<String> {
    final List<String> chunks = new ArrayList<>();
    Flow.@Nullable Subscription subscription;
    @Nullable Throwable failure;
    int ends;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
    }

    @Override
    public void onNext(String chunk) {
      chunks.add(chunk);
    }

    @Override
    public void onError(Throwable thrown) {
      failure = thrown;
      ends++;
    }

    @Override
    public void onComplete() {
      ends++;
    }

    RecordingSubscriber asks(long n) {
      known().request(n);
      return this;
    }

    void leaves() {
      known().cancel();
    }

    private Flow.Subscription known() {
      var given = subscription;
      if (given == null) {
        throw new AssertionError("no subscription came");
      }
      return given;
    }
  }

  private Publishing<String> wrapped() {
    return mainstay
        .<String>wrapPublisher("openai/gpt-4o", Source::new)
        .commitsAt(chunk -> !chunk.equals("role"))
        .endsWith(chunk -> chunk.equals("[DONE]"));
  }

  private RecordingSubscriber subscribed() {
    var told = new RecordingSubscriber();
    wrapped().publisher().subscribe(told);
    return told;
  }

  private Source source(int attempt) {
    assertThat(sources).hasSize(attempt);
    return sources.get(attempt - 1);
  }

  @Test
  void aWholeAnswerPassesThrough() {
    var told = subscribed().asks(10);
    source(1).gives("role", "Hel", "lo", "[DONE]").ends();
    assertThat(told.chunks).containsExactly("role", "Hel", "lo", "[DONE]");
    assertThat(told.failure).isNull();
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void nothingBeginsBeforeSomethingIsAskedFor() {
    var told = subscribed();
    assertThat(sources).isEmpty();
    told.asks(1);
    assertThat(sources).hasSize(1);
  }

  @Test
  void everySubscriberHasACallOfItsOwn() {
    var publisher = wrapped().publisher();
    var one = new RecordingSubscriber();
    var other = new RecordingSubscriber();
    publisher.subscribe(one);
    publisher.subscribe(other);
    one.asks(5);
    other.asks(5);
    sources.get(0).gives("one", "[DONE]").ends();
    sources.get(1).gives("other", "[DONE]").ends();
    assertThat(one.chunks).containsExactly("one", "[DONE]");
    assertThat(other.chunks).containsExactly("other", "[DONE]");
  }

  @Test
  void asksForNoMoreThanIsWantedAndOneByOneUpToTheCommitPoint() {
    var told = subscribed().asks(2);
    var source = source(1);
    assertThat(source.asked).isEqualTo(1);
    source.gives("role");
    assertThat(source.asked).isEqualTo(2);
    assertThat(told.chunks).isEmpty();
    source.gives("role", "Hel");
    assertThat(told.chunks)
        .as("two were asked for, three were held")
        .containsExactly("role", "role");
    assertThat(source.asked).isEqualTo(3);
    told.asks(1);
    assertThat(told.chunks).endsWith("Hel");
    assertThat(source.asked).as("nothing is lacking").isEqualTo(3);
    told.asks(4);
    assertThat(source.asked).isEqualTo(7);
    source.gives("lo", "[DONE]").ends();
    assertThat(told.chunks).hasSize(5);
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void theEndWaitsForWhatIsStillToBeHandedOver() {
    var told = subscribed().asks(1);
    source(1).gives("role", "[DONE]").ends();
    assertThat(told.chunks).containsExactly("role");
    assertThat(told.ends).isZero();
    told.asks(1);
    assertThat(told.chunks).containsExactly("role", "[DONE]");
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void withoutBoundTheSourceIsAskedOnceWithoutBound() {
    var told = subscribed().asks(Long.MAX_VALUE);
    source(1).gives("Hel");
    assertThat(source(1).asked).isNegative(); // one, and then all: a long overflows in the count
    told.asks(3);
    assertThat(told.chunks).containsExactly("Hel");
  }

  @Test
  void whatFailsBeforeTheCommitPointIsNeverSeen() {
    var told = subscribed().asks(10);
    source(1).gives("role").fails(down());
    timer.advance(Duration.ofMinutes(1));
    source(2).gives("role").ends();
    timer.advance(Duration.ofMinutes(1));
    source(3).gives("role", "Hello", "[DONE]").ends();
    assertThat(told.chunks).containsExactly("role", "Hello", "[DONE]");
    assertThat(told.failure).isNull();
  }

  @Test
  void afterTheCommitPointTheOriginalEndsIt() {
    var cut = down();
    var told = subscribed().asks(10);
    source(1).gives("role", "Hel").fails(cut);
    assertThat(told.chunks).containsExactly("role", "Hel");
    assertThat(told.failure).isSameAs(cut);
    assertThat(Mainstay.historyOf(cut)).hasSize(1);
    assertThat(sources).hasSize(1);
  }

  @Test
  void anAnswerWithoutItsEndingIsAFailure() {
    var told = subscribed().asks(10);
    source(1).gives("Hel").ends();
    assertThat(told.failure).isInstanceOf(IncompleteStreamException.class);
  }

  @Test
  void aMistakeIsTheCallersAtOnce() {
    var mistake = invalid();
    var told = subscribed().asks(1);
    source(1).fails(mistake);
    assertThat(told.failure).isSameAs(mistake);
    assertThat(sources).hasSize(1);
  }

  @Test
  void waitsAsToldAndHoldsNoThread() {
    var told = subscribed().asks(2);
    source(1).fails(limited("20"));
    assertThat(timer.pending()).isEqualTo(1);
    timer.advance(Duration.ofSeconds(19));
    assertThat(sources).hasSize(1);
    timer.advance(Duration.ofSeconds(2));
    source(2).gives("Hello", "[DONE]").ends();
    assertThat(told.chunks).containsExactly("Hello", "[DONE]");
  }

  @Test
  void fallsBackBeforeTheCommitPoint() {
    var told = new RecordingSubscriber();
    mainstay
        .<String>wrapPublisher(
            "openai/gpt-4o",
            () -> {
              throw noMoney();
            })
        .or("anthropic/claude", Source::new)
        .publisher()
        .subscribe(told);
    told.asks(1);
    source(1).gives("Hello").ends();
    assertThat(told.chunks).containsExactly("Hello");
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void leavingCancelsTheAttempt() {
    var told = subscribed().asks(10);
    source(1).gives("Hel");
    told.leaves();
    assertThat(source(1).cancelled).isTrue();
    source(1).gives("lo").fails(down());
    assertThat(told.chunks).containsExactly("Hel");
    assertThat(told.ends).isZero();
    assertThat(sources).hasSize(1);
  }

  @Test
  void leavingCancelsAWait() {
    var told = subscribed().asks(10);
    source(1).fails(limited("20"));
    told.leaves();
    assertThat(timer.pending()).isZero();
    timer.advance(Duration.ofMinutes(2));
    assertThat(sources).hasSize(1);
    assertThat(told.ends).isZero();
  }

  @Test
  void askingForNothingIsAMistake() {
    var told = subscribed().asks(1);
    told.asks(0);
    assertThat(source(1).cancelled).isTrue();
    assertThat(told.failure).isInstanceOf(IllegalArgumentException.class);
    told.asks(-1);
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void askingForNothingIsAMistakeAlsoWhenTheAnswerIsThere() {
    var told = subscribed().asks(1);
    source(1).gives("role", "[DONE]").ends();
    told.asks(-1);
    assertThat(told.failure).isInstanceOf(IllegalArgumentException.class);
    assertThat(told.chunks).containsExactly("role");
  }

  @Test
  void aSubscriberThatThrowsHasLeft() {
    var told =
        new RecordingSubscriber() {
          @Override
          public void onNext(String chunk) {
            super.onNext(chunk);
            throw new IllegalStateException("a mistake");
          }
        };
    wrapped().publisher().subscribe(told);
    told.asks(10);
    source(1).gives("Hel");
    assertThat(source(1).cancelled).isTrue();
    assertThat(told.chunks).containsExactly("Hel");
    assertThat(told.ends).isZero();
  }

  @Test
  void aPredicateThatThrowsEndsTheCall() {
    var told = new RecordingSubscriber();
    var mistake = new IllegalStateException("a mistake");
    mainstay
        .<String>wrapPublisher("openai/gpt-4o", Source::new)
        .commitsAt(
            _ -> {
              throw mistake;
            })
        .publisher()
        .subscribe(told);
    told.asks(1);
    source(1).gives("Hel");
    assertThat(told.failure).isSameAs(mistake);
    assertThat(source(1).cancelled).isTrue();
  }

  /** Hands over at once whatever it is asked for, as a publisher over a list does. */
  private static Flow.Publisher<String> eager(Iterator<String> chunks) {
    return subscriber ->
        subscriber.onSubscribe(
            new Flow.Subscription() {
              private long wanted;
              private boolean giving;
              private boolean over;

              @Override
              public void request(long n) {
                wanted += n;
                while (!giving && !over && wanted > 0) {
                  giving = true;
                  if (chunks.hasNext()) {
                    wanted--;
                    subscriber.onNext(chunks.next());
                  } else {
                    over = true;
                    subscriber.onComplete();
                  }
                  giving = false;
                }
              }

              @Override
              public void cancel() {
                over = true;
              }
            });
  }

  @Test
  void askingFromWithinANewChunkDoesNotNest() {
    int many = 200_000;
    var told =
        new RecordingSubscriber() {
          @Override
          public void onSubscribe(Flow.Subscription given) {
            super.onSubscribe(given);
            given.request(1);
          }

          @Override
          public void onNext(String chunk) {
            super.onNext(chunk);
            asks(1);
          }
        };
    mainstay
        .wrapPublisher(
            "openai/gpt-4o", () -> eager(IntStream.range(0, many).mapToObj(n -> "" + n).iterator()))
        .publisher()
        .subscribe(told);
    assertThat(told.chunks).hasSize(many);
    assertThat(told.ends).isEqualTo(1);
  }

  @Test
  void chunksKeepTheirOrderBetweenTwoThreads() throws Exception {
    int many = 50_000;
    var all = new CompletableFuture<List<String>>();
    try (var below = Executors.newSingleThreadExecutor();
        var above = Executors.newSingleThreadExecutor()) {
      var inner = eager(IntStream.range(0, many).mapToObj(n -> "" + n).iterator());
      Flow.Publisher<String> elsewhere =
          subscriber -> inner.subscribe(new OnThread(subscriber, below));
      var told =
          new RecordingSubscriber() {
            @Override
            public void onSubscribe(Flow.Subscription given) {
              super.onSubscribe(given);
              above.execute(() -> given.request(7));
            }

            @Override
            public void onNext(String chunk) {
              super.onNext(chunk);
              above.execute(() -> asks(1));
            }

            @Override
            public void onComplete() {
              all.complete(chunks);
            }

            @Override
            public void onError(Throwable thrown) {
              all.completeExceptionally(thrown);
            }
          };
      mainstay.wrapPublisher("openai/gpt-4o", () -> elsewhere).publisher().subscribe(told);
      assertThat(all.get(60, TimeUnit.SECONDS))
          .containsExactlyElementsOf(IntStream.range(0, many).mapToObj(n -> "" + n).toList());
    }
  }

  /** Passes requests on, on a thread of the source's. */
  private record OnThread(Flow.Subscriber<? super String> to, java.util.concurrent.Executor thread)
      implements Flow.Subscriber<String> {
    @Override
    public void onSubscribe(Flow.Subscription given) {
      to.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              thread.execute(() -> given.request(n));
            }

            @Override
            public void cancel() {
              thread.execute(given::cancel);
            }
          });
    }

    @Override
    public void onNext(String chunk) {
      to.onNext(chunk);
    }

    @Override
    public void onError(Throwable thrown) {
      to.onError(thrown);
    }

    @Override
    public void onComplete() {
      to.onComplete();
    }
  }

  /** A client that says whether it was closed. */
  private static final class Client implements AutoCloseable {
    boolean closed;

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void aLeaseIsGivenBackAtTheEndAndWhenTheSubscriberLeaves() throws Exception {
    for (boolean whole : new boolean[] {true, false}) {
      sources.clear();
      try (var clients = new ClientRegistry<>(Client::new)) {
        var told = new RecordingSubscriber();
        mainstay
            .wrapPublisher("openai/gpt-4o", clients, _ -> new Source())
            .publisher()
            .subscribe(told);
        told.asks(5);
        source(1).gives("Hello");
        clients.reload();
        assertThat(clients.retired()).isEqualTo(1);
        if (whole) {
          source(1).ends();
        } else {
          told.leaves();
        }
        assertThat(clients.retired()).isZero();
      }
    }
  }
}
