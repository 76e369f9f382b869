package dev.mainstay.library;

import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * One attempt's chunks on a leased client: the lease is given back once they have ended, failed or
 * were cancelled. For one subscriber. A lease may be closed twice.
 */
record LeasedPublisher<K>(
    Flow.Publisher<K> chunks, Runnable giveBack, Function<Throwable, LeasedFailure> failed)
    implements Flow.Publisher<K> {

  @Override
  public void subscribe(Flow.Subscriber<? super K> subscriber) {
    try {
      chunks.subscribe(leased(subscriber));
    } catch (Throwable refused) {
      giveBack.run();
      throw refused;
    }
  }

  private Flow.Subscriber<K> leased(Flow.Subscriber<? super K> subscriber) {
    return new Flow.Subscriber<K>() {
      @Override
      public void onSubscribe(Flow.Subscription given) {
        subscriber.onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long n) {
                given.request(n);
              }

              @Override
              public void cancel() {
                given.cancel();
                giveBack.run();
              }
            });
      }

      @Override
      public void onNext(K chunk) {
        subscriber.onNext(chunk);
      }

      @Override
      public void onError(Throwable failure) {
        giveBack.run();
        subscriber.onError(failed.apply(failure));
      }

      @Override
      public void onComplete() {
        giveBack.run();
        subscriber.onComplete();
      }
    };
  }
}
