package dev.mainstay.gateway.api;

import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.config.Config;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How well a gateway is, in one number.
 *
 * @param level 0 all well, 1 something retries more than usual or a spool fills, 2 a target is out,
 *     3 a model has one target left or the store is away, 4 a model has none
 * @param reason why it is not less, in words
 */
public record HealthLevel(int level, String reason) {
  /** Bytes of records that wait for the store: a quarter of what the log may hold. */
  public static final long SPOOL_FILLS = 64L << 20;

  /** The share of the room for what is kept that is nearly all of it. */
  private static final double NEARLY_FULL = 0.8;

  /**
   * What is known of the parts.
   *
   * @param retries what is unusual about retries, or null
   */
  public record Facts(
      Config config,
      List<Guards.TargetState> targets,
      List<Upstreams.PoolState> pools,
      Recorder.Health ledger,
      @Nullable String storeTrouble,
      DurableState.@Nullable Kept kept,
      @Nullable String retries) {}

  /** The highest level that {@code facts} call for. */
  public static HealthLevel of(Facts facts) {
    if (facts.config().providers().isEmpty()) {
      return new HealthLevel(4, "no provider has a key");
    }
    var out = out(facts);
    var models = models(facts.config(), out);
    if (models.level() == 4) {
      return models;
    }
    if (!facts.ledger().ok()) {
      return new HealthLevel(3, "records cannot be written: " + facts.ledger().trouble());
    }
    if (facts.storeTrouble() != null) {
      return new HealthLevel(3, facts.storeTrouble());
    }
    if (models.level() == 3) {
      return models;
    }
    if (!out.isEmpty()) {
      return new HealthLevel(
          2, "out: " + String.join(", ", out.stream().map(TargetId::toString).sorted().toList()));
    }
    var lost = withoutKeys(facts.pools());
    if (!lost.isEmpty()) {
      return new HealthLevel(
          2, "every key is set aside: " + String.join(", ", lost.stream().sorted().toList()));
    }
    return fills(facts);
  }

  private static HealthLevel fills(Facts facts) {
    var ledger = facts.ledger();
    if (ledger.waitingBytes() >= SPOOL_FILLS) {
      return new HealthLevel(
          1,
          "%d records (%d MiB) wait for the store"
              .formatted(ledger.waiting(), ledger.waitingBytes() >> 20));
    }
    var kept = facts.kept();
    if (kept != null && kept.bytes() >= NEARLY_FULL * kept.maxBytes()) {
      return new HealthLevel(
          1,
          "kept answers and requests use %d of %d MiB (store.max-kept)"
              .formatted(kept.bytes() >> 20, kept.maxBytes() >> 20));
    }
    return facts.retries() == null
        ? new HealthLevel(0, "all well")
        : new HealthLevel(1, facts.retries());
  }

  /** Targets that get no request now: those whose breaker is open, or without a key. */
  private static Set<TargetId> out(Facts facts) {
    var out = new HashSet<TargetId>();
    for (var state : facts.targets()) {
      if (state.breaker().state() == Breaker.State.OPEN) {
        out.add(state.target());
      }
    }
    var lost = withoutKeys(facts.pools());
    for (var model : facts.config().models().values()) {
      for (var weighted : model.targets()) {
        var target = weighted.target();
        if (lost.contains(target.provider())
            || withoutKey(facts.pools(), target)
            || !facts.config().providers().containsKey(target.provider())) {
          out.add(target);
        }
      }
    }
    return out;
  }

  private static boolean withoutKey(List<Upstreams.PoolState> pools, TargetId target) {
    return pools.stream()
        .anyMatch(
            pool ->
                pool.provider().equals(target.provider())
                    && pool.refusedModels().contains(target.model()));
  }

  private static Set<String> withoutKeys(List<Upstreams.PoolState> pools) {
    var lost = new HashSet<String>();
    for (var pool : pools) {
      if (pool.keys() > 0 && pool.setAside() == pool.keys()) {
        lost.add(pool.provider());
      }
    }
    return lost;
  }

  private static HealthLevel models(Config config, Set<TargetId> out) {
    var none = new ArrayList<String>();
    var last = new ArrayList<String>();
    for (var model : config.models().values()) {
      long left = model.targets().stream().filter(one -> !out.contains(one.target())).count();
      if (left == 0) {
        none.add(model.name());
      } else if (left == 1 && model.targets().size() > 1) {
        last.add(model.name());
      }
    }
    if (!none.isEmpty()) {
      return new HealthLevel(4, "no target left: " + String.join(", ", none));
    }
    return last.isEmpty()
        ? new HealthLevel(0, "")
        : new HealthLevel(3, "one target left: " + String.join(", ", last));
  }
}
