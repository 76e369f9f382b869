package dev.mainstay.library;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.ThrowableReader;
import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Wraps any call a program already makes: every failure is classified once and handled once, by
 * retry, fallback, repair or the original exception with its history attached.
 *
 * <pre>{@code
 * var mainstay = Mainstay.with(Policy.defaults());
 * var answer = mainstay
 *     .wrap("openai/gpt-4o", () -> openai.chat(prompt))
 *     .or("anthropic/claude-sonnet-4-5", () -> anthropic.chat(prompt))
 *     .call();
 * }</pre>
 *
 * <p>Targets are named {@code provider/model}, or by a bare name; the provider's name chooses the
 * rules its errors are read by. One instance serves the whole program and is thread-safe: it holds
 * a breaker for each target's name and a retry budget for each provider, for as long as it lives.
 *
 * <p>Turn the retries of the wrapped client off: attempts of two layers multiply.
 */
public final class Mainstay {
  private static final System.Logger LOG = System.getLogger(Mainstay.class.getName());

  private final Supplier<Policy> policy;
  private final BreakerSettings breakers;
  private final double retryBudget;
  private final Timer timer;
  private final CallListener listener;
  private final Classifier classifier;
  private final ExceptionWalk walk;
  private final Supplier<? extends RandomGenerator> random;
  private final Map<String, GuardedTarget> guarded = new ConcurrentHashMap<>();
  private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

  private Mainstay(Builder builder) {
    policy = builder.policy;
    breakers = builder.breakers;
    retryBudget = builder.retryBudget;
    timer = builder.timer;
    listener = builder.listener;
    classifier = builder.classifier;
    walk = builder.walk;
    random = builder.random;
  }

  /** With {@code policy}, and the defaults of everything else. */
  public static Mainstay with(Policy policy) {
    return builder().policy(policy).build();
  }

  /** With what {@code MAINSTAY_*} variables say, read again while the program runs. */
  public static Mainstay fromEnvironment() {
    return builder().settings(LiveSettings.ofSystem()).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A call that blocks; {@code call} is run once for each attempt. */
  public <T> Blocking<T> wrap(String target, Callable<? extends T> call) {
    return new Blocking<T>(this, guarded(target), call::call);
  }

  /** A call that blocks, on a leased client. */
  public <C extends AutoCloseable, T> Blocking<T> wrap(
      String target, ClientRegistry<C> clients, LeasedCall<? super C, ? extends T> call) {
    return new Blocking<T>(this, guarded(target), clients.<T>blocking(call));
  }

  /** A call that answers later; {@code call} is run once for each attempt. */
  public <T> Async<T> wrapAsync(String target, Callable<? extends CompletionStage<T>> call) {
    return new Async<T>(this, guarded(target), call::call);
  }

  /** A call that answers later, on a client that is leased until then. */
  public <C extends AutoCloseable, T> Async<T> wrapAsync(
      String target,
      ClientRegistry<C> clients,
      LeasedCall<? super C, ? extends CompletionStage<T>> call) {
    return new Async<T>(this, guarded(target), clients.async(call));
  }

  /** A call that answers in chunks; {@code call} is run once for each attempt. */
  public <K> Streaming<K> wrapStream(String target, Callable<? extends Stream<K>> call) {
    return new Streaming<K>(this, guarded(target), call::call);
  }

  /** A call that answers in chunks, on a client that is leased until the stream is closed. */
  public <C extends AutoCloseable, K> Streaming<K> wrapStream(
      String target, ClientRegistry<C> clients, LeasedCall<? super C, ? extends Stream<K>> call) {
    return new Streaming<K>(this, guarded(target), clients.stream(call));
  }

  /** A call that publishes its answer in chunks; {@code call} is run once for each attempt. */
  public <K> Publishing<K> wrapPublisher(
      String target, Callable<? extends Flow.Publisher<K>> call) {
    return new Publishing<K>(this, guarded(target), call::call);
  }

  /**
   * A call that publishes its answer in chunks, on a client that is leased until they have ended or
   * nobody wants them any more.
   */
  public <C extends AutoCloseable, K> Publishing<K> wrapPublisher(
      String target,
      ClientRegistry<C> clients,
      LeasedCall<? super C, ? extends Flow.Publisher<K>> call) {
    return new Publishing<K>(this, guarded(target), clients.publisher(call));
  }

  /** The history attached to what a wrapped call threw, oldest first; empty where there is none. */
  public static List<HistoryEntry> historyOf(Throwable thrown) {
    var suppressed = CallExecution.unwrap(thrown).getSuppressed();
    for (int i = suppressed.length - 1; i >= 0; i--) {
      if (suppressed[i] instanceof AttemptHistory history) {
        return history.attempts();
      }
    }
    return List.of();
  }

  /** The breaker of {@code target}, to read or reset it. */
  public Breaker breaker(String target) {
    return guarded(target).breaker();
  }

  /** The policy in force now. */
  public Policy policy() {
    return policy.get();
  }

  Timer timer() {
    return timer;
  }

  CallListener listener() {
    return listener;
  }

  RandomGenerator random() {
    return random.get();
  }

  GuardedTarget guarded(String name) {
    var known = guarded.get(name);
    return known != null ? known : guarded.computeIfAbsent(name, this::guard);
  }

  private GuardedTarget guard(String name) {
    var id = TargetId.of(name);
    var budget = budgets.computeIfAbsent(id.provider(), _ -> new RetryBudget(retryBudget));
    return new GuardedTarget(name, id, new Breaker(breakers), budget);
  }

  /** Refuses a route that is longer than the policy has attempts for. */
  void check(GuardedTarget[] targets) {
    var now = policy();
    if (now.fallback().on() != FallbackOn.OFF && targets.length > now.maxAttempts()) {
      throw new InvalidPolicyException(
          "max-attempts", now.maxAttempts() + " is fewer than the " + targets.length + " targets");
    }
  }

  Verdict verdict(String provider, Throwable failure) {
    if (failure instanceof IncompleteStreamException) {
      return classifier.classify(CallExecution.cut(provider, false));
    }
    Failure.Thrown facts = walk.read(provider, failure);
    var verdict = classifier.classify(facts);
    return historyOf(failure).isEmpty() ? verdict : KnownVerdicts.givenUpBelow(verdict);
  }

  void tellDecided(HistoryEntry line) {
    tell(() -> listener.decided(line));
  }

  void tellAnswered(String target, long start, List<HistoryEntry> history) {
    if (listener != CallListener.NONE) {
      var took = Duration.ofNanos(timer.nanoTime() - start);
      tell(() -> listener.answered(target, took, List.copyOf(history)));
    }
  }

  void tellGaveUp(Throwable failure, List<HistoryEntry> history) {
    tell(() -> listener.gaveUp(failure, List.copyOf(history)));
  }

  private static void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "a call listener threw {0}", e.getClass().getName());
    }
  }

  /** What a {@link Mainstay} is made of. Not thread-safe. */
  public static final class Builder {
    private Supplier<Policy> policy = Policy::defaults;
    private BreakerSettings breakers = BreakerSettings.defaults();
    private double retryBudget = 0.2;
    private Timer timer = Timer.system();
    private CallListener listener = CallListener.NONE;
    private Classifier classifier = Classifier.standard();
    private ExceptionWalk walk = ExceptionWalk.standard();
    private Supplier<? extends RandomGenerator> random = ThreadLocalRandom::current;

    private Builder() {}

    /** Default: {@link Policy#defaults}. */
    public Builder policy(Policy value) {
      Objects.requireNonNull(value, "policy");
      policy = () -> value;
      return this;
    }

    /**
     * Policy, breakers and retry budget from {@code settings}; the policy of each call is the one
     * in force when it is needed, breakers and budgets keep what is in force now.
     */
    public Builder settings(LiveSettings settings) {
      policy = () -> settings.current().policy();
      breakers = settings.current().breaker();
      retryBudget = settings.current().retryBudget();
      return this;
    }

    /** Default: {@link BreakerSettings#defaults}. */
    public Builder breakers(BreakerSettings value) {
      breakers = Objects.requireNonNull(value, "breakers");
      return this;
    }

    /** Retries as a share of a provider's requests; default 0.2. */
    public Builder retryBudget(double share) {
      retryBudget = share;
      return this;
    }

    /** Default: {@link Timer#system}. */
    public Builder timer(Timer value) {
      timer = Objects.requireNonNull(value, "timer");
      return this;
    }

    /** Default: {@link CallListener#NONE}. */
    public Builder listener(CallListener value) {
      listener = Objects.requireNonNull(value, "listener");
      return this;
    }

    /** Default: the rules that ship. */
    public Builder classifier(Classifier value) {
      classifier = Objects.requireNonNull(value, "classifier");
      return this;
    }

    /** Reads what a program's own exceptions carry, before the usual accessors are tried. */
    public Builder readers(List<ThrowableReader> readers) {
      walk = ExceptionWalk.with(readers);
      return this;
    }

    /** Where jitter comes from; default {@link ThreadLocalRandom}. */
    public Builder random(Supplier<? extends RandomGenerator> value) {
      random = Objects.requireNonNull(value, "random");
      return this;
    }

    public Mainstay build() {
      return new Mainstay(this);
    }
  }
}
