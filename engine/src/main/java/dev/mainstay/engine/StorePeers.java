package dev.mainstay.engine;

import dev.mainstay.call.api.Peers;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateways on one store, through its signals and its register of instances. */
final class StorePeers implements Peers {
  private static final Logger LOG = LoggerFactory.getLogger(StorePeers.class);
  private static final String BREAKER = "breaker";
  private static final String KEY = "key";
  private static final String KEY_SET_ASIDE = "key_set_aside";
  private static final String KEY_WORKS = "key_works";

  /** Between the fields of a signal: in no name that a configuration allows. */
  private static final String TAB = "\t";

  /** Longer than any breaker stays open and any key rests; what is longer is nonsense. */
  private static final long LONGEST_MILLIS = Duration.ofHours(1).toMillis();

  private final DurableState state;

  private StorePeers(DurableState state) {
    this.state = state;
  }

  /** Those on {@code state}, or none where there is no store. */
  static Peers of(@Nullable DurableState state) {
    return state == null ? Peers.NONE : new StorePeers(state);
  }

  /** Acts on what the others tell. */
  static void listen(
      @Nullable DurableState state, Supplier<Generation> current, LongSupplier nanos) {
    if (state == null) {
      return;
    }
    on(
        state,
        BREAKER,
        4,
        parts -> {
          if (current.get().upstreams().spec(parts[0]) != null) {
            var target = new TargetId(parts[0], parts[1]);
            long open = millis(parts[2]);
            var guards = current.get().guards();
            if (open > 0) {
              guards.openedElsewhere(target, Duration.ofMillis(open), parts[3], nanos.getAsLong());
              LOG.info("{}: another gateway's breaker opened: {}", target, parts[3]);
            } else if (guards.reset(target)) {
              LOG.info("{}: a person reset the breaker at another gateway", target);
            }
          }
        });
    on(
        state,
        KEY,
        4,
        parts ->
            current
                .get()
                .upstreams()
                .keyRestsElsewhere(
                    parts[0],
                    parts[1],
                    parts[2],
                    Duration.ofMillis(millis(parts[3])),
                    nanos.getAsLong()));
    on(
        state,
        KEY_SET_ASIDE,
        3,
        parts ->
            current
                .get()
                .upstreams()
                .keySetAsideElsewhere(parts[0], parts[1], parts[2], nanos.getAsLong()));
    on(
        state,
        KEY_WORKS,
        3,
        parts ->
            current
                .get()
                .upstreams()
                .keyWorksElsewhere(parts[0], parts[1], parts[2], nanos.getAsLong()));
  }

  /** Acts on signals of a kind; one with another number of fields is of another version. */
  private static void on(DurableState state, String kind, int fields, Consumer<String[]> act) {
    state
        .signals()
        .on(
            kind,
            text -> {
              var parts = text.split(TAB, fields);
              if (parts.length == fields) {
                act.accept(parts);
              }
            });
  }

  /** 0 for what is no time. */
  private static long millis(String text) {
    try {
      return Math.clamp(Long.parseLong(text), 0, LONGEST_MILLIS);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public void breakerOpened(TargetId target, Duration open, String reason) {
    state
        .signals()
        .send(
            BREAKER,
            String.join(
                TAB, target.provider(), target.model(), Long.toString(open.toMillis()), reason));
  }

  /** An opening of no time. */
  @Override
  public void breakerReset(TargetId target) {
    breakerOpened(target, Duration.ZERO, "");
  }

  @Override
  public void keyRests(String provider, String key, String model, Duration rest) {
    state
        .signals()
        .send(KEY, String.join(TAB, provider, key, model, Long.toString(rest.toMillis())));
  }

  @Override
  public void keySetAside(String provider, String key, String model) {
    state.signals().send(KEY_SET_ASIDE, String.join(TAB, provider, key, model));
  }

  @Override
  public void keyWorks(String provider, String key, String model) {
    state.signals().send(KEY_WORKS, String.join(TAB, provider, key, model));
  }

  @Override
  public int share(int limit) {
    return (int) Math.max(1, state.instances().place().share(limit));
  }
}
