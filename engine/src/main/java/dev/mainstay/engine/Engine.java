package dev.mainstay.engine;

import dev.mainstay.call.Calls;
import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.CallListener;
import dev.mainstay.call.api.LearnedQuirks;
import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.api.Services;
import dev.mainstay.config.Alerts;
import dev.mainstay.config.Config;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.engine.idempotency.JoinableCalls;
import dev.mainstay.engine.money.Spending;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Loops;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.state.DurableState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes model calls in this process: routes them, keeps clients within limits and budgets, retries,
 * falls back, continues, and records. The gateway, agents, tests and Java programs share it.
 * Thread-safe.
 *
 * <p>{@link #models} has the typed requests; {@link #submit} takes the bytes of a dialect.
 */
public final class Engine implements AutoCloseable {
  private final Loops loops;
  private final Calls calls;
  private final Refusals refusals;
  private final ClientLimits limits;
  private final Spending spending;
  private final JoinableCalls joinable;
  private final DurableCalls durableCalls;
  private final IdempotencyFilter filter;
  private final CallLauncher launcher;
  private final PassThroughLauncher passThrough;
  private final Models models;
  private final @Nullable DurableState state;
  private final String instance;
  private final Peers peers;
  private final EngineListener listener;
  private volatile Generation current;

  private Engine(
      Config config,
      Recorder recorder,
      @Nullable DurableState state,
      Loops loops,
      EngineListener listener,
      CallTracing tracing,
      KeptRequestReader reader) {
    this.loops = loops;
    this.state = state;
    this.listener = listener;
    peers = StorePeers.of(state);
    current = Generation.of(config, null, loops, peers, System.getenv());
    StorePeers.listen(state, this::current, System::nanoTime);
    refusals =
        new Refusals(recorder, listener, this::config, InstantSource.system(), System::nanoTime);
    limits = new ClientLimits(System::nanoTime, peers);
    joinable = new JoinableCalls(state, MemoryBudget.process());
    spending =
        new Spending(
            state,
            () -> current().prices(),
            InstantSource.system(),
            (account, message) ->
                listener.alert(Alerts.Topic.BUDGET, "budget " + account, account + ": " + message));
    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
    instance = "mainstay-" + Long.toHexString(random.nextLong());
    models = new Models(this, loops, instance);
    calls =
        new Calls(
            new Services(
                failure -> classify(failure, listener),
                recorder,
                () -> current().prices(),
                InstantSource.system(),
                System::nanoTime,
                random,
                new LearnedQuirks(System::nanoTime),
                MemoryBudget.process(),
                ended(listener)));
    var objects =
        new ObjectRouting(state == null ? null : state.providerObjects(), InstantSource.system());
    launcher = new CallLauncher(calls, this::current, limits, spending, tracing, objects, refusals);
    passThrough =
        new PassThroughLauncher(calls, this::current, limits, objects, refusals, instance);
    durableCalls =
        new DurableCalls(
            launcher,
            joinable,
            state,
            reader,
            calls::newId,
            loops,
            InstantSource.system(),
            refusals,
            listener::alert);
    filter =
        new IdempotencyFilter(
            launcher,
            this::current,
            joinable,
            durableCalls,
            state,
            InstantSource.system(),
            listener::answeredWithoutCall,
            refusals);
  }

  /**
   * Starts an engine. It opens no port and no connection.
   *
   * @param recorder where calls are recorded; stays open when the engine closes
   * @param state what must survive: claims, budgets, kept calls; null: answers are not kept to be
   *     given again, and clients with a budget are refused
   * @param loops the threads that carry calls; stay open when the engine closes
   * @param reader reads the durable requests that an earlier process left
   * @throws IllegalArgumentException when a provider's certificates cannot be read
   */
  public static Engine start(
      Config config,
      Recorder recorder,
      @Nullable DurableState state,
      Loops loops,
      EngineListener listener,
      CallTracing tracing,
      KeptRequestReader reader) {
    return new Engine(config, recorder, state, loops, listener, tracing, reader);
  }

  /** Starts an engine without a gateway: nothing listens to it, and no call is durable. */
  public static Engine start(
      Config config, Recorder recorder, @Nullable DurableState state, Loops loops) {
    return start(
        config,
        recorder,
        state,
        loops,
        EngineListener.NONE,
        CallTracing.NONE,
        KeptRequestReader.NONE);
  }

  private Verdict classify(Failure failure, EngineListener listener) {
    var verdict = current().rules().classifier().classify(failure);
    listener.classified(failure, verdict);
    return verdict;
  }

  private CallListener ended(EngineListener listener) {
    return CallListener.all(
        List.of(
            freeing(),
            // Before joinable, which lets go of the answer that durable calls keep.
            (call, _) -> durableCalls().ended(call),
            (call, _) -> joinable().ended(call),
            heard(listener),
            // Last: whoever waits for the outcome finds everything else told.
            (call, attempts) -> models().ended(call, attempts)));
  }

  /** Lets a client's next call have the place and the money that are left. */
  private CallListener freeing() {
    return new CallListener() {
      @Override
      public void ending(CallRecord call) {
        limits.ended(call);
        spending().ended(call);
      }

      @Override
      public void ended(CallRecord call, List<AttemptRecord> attempts) {}
    };
  }

  private static CallListener heard(EngineListener listener) {
    return new CallListener() {
      @Override
      public void ended(CallRecord call, List<AttemptRecord> attempts) {
        listener.ended(call, attempts);
      }

      @Override
      public void decided(CallDecision decision) {
        listener.decided(decision);
      }
    };
  }

  private JoinableCalls joinable() {
    return joinable;
  }

  private DurableCalls durableCalls() {
    return durableCalls;
  }

  /** The configuration at work, with its providers' clients, breakers, routes and prices. */
  public Generation current() {
    return current;
  }

  /** The configuration at work. */
  public Config config() {
    return current.config();
  }

  /** A new id for a call. */
  public String newId() {
    return calls.newId();
  }

  /** Typed model requests, for agents and Java programs. */
  public Models models() {
    return models;
  }

  /**
   * Answers a request in the bytes of a dialect, on the recipient's loop: with the answer of a call
   * of its own, or, where the same request came before, of that one's.
   */
  public void submit(InboundRequest request, Recipient to) {
    var refusal = request.refusal();
    if (refusal == null) {
      filter.answer(to, request);
    } else {
      refusals.refuse(refusal, request, to);
    }
  }

  /**
   * Begins a call for {@code request}, on the recipient's loop, whatever came before.
   *
   * @param notBegun runs where the recipient was refused instead
   */
  void launch(InboundRequest request, Recipient to, Runnable notBegun) {
    var refusal = request.refusal();
    if (refusal == null) {
      launcher.launch(request, to, notBegun);
    } else {
      refusals.refuse(refusal, request, to);
      notBegun.run();
    }
  }

  /**
   * Passes a request on to a provider, unread; to be called while its exchange is being admitted.
   *
   * @param to the exchange as the one who is refused
   */
  public void pass(InboundPassThrough request, Exchange exchange, Recipient to) {
    passThrough.launch(request, exchange, to);
  }

  /** Refuses a request that was read, and records that. */
  public void refuse(CallRefusal refusal, InboundRequest request, Recipient to) {
    refusals.refuse(refusal, request, to);
  }

  /** Refuses a request of which only its head was read, and records that. */
  public void refuse(CallRefusal refusal, Refusals.Request request, Recipient to) {
    refusals.refuse(refusal, request, to);
  }

  /**
   * Raises an alert, which goes to every channel that is configured for its topic. Never blocks.
   *
   * @param cause what it is about; alerts of one cause are throttled together
   * @param message for people; nothing of a prompt, a key or a provider's words may be in it
   */
  public void alert(Alerts.Topic topic, String cause, String message) {
    listener.alert(topic, cause, message);
  }

  /** This process's name in {@code x-mainstay-via}, by which a loop is recognised. */
  public String instance() {
    return instance;
  }

  /**
   * Makes the durable calls that a process accepted which died before it ended them, now and
   * whenever a process leaves some behind.
   */
  public void recover() {
    durableCalls.recover();
    if (state != null) {
      state.keptCalls().onLeftBehind(durableCalls::recover);
    }
  }

  /**
   * Serves new requests by {@code config}; those that run go on as they began.
   *
   * @throws IllegalArgumentException when a certificate cannot be read; the old one stays
   */
  public synchronized void reload(Config config) {
    var before = current;
    current = Generation.of(config, before, loops, peers, System.getenv());
    calls.forget();
    before.upstreams().retire(current.upstreams());
  }

  /** The calls under way. */
  public Calls calls() {
    return calls;
  }

  /** Calls that must not be lost. */
  public DurableCalls durable() {
    return durableCalls;
  }

  /** What clients and their runs have spent. */
  public Spending spending() {
    return spending;
  }

  /**
   * Ends every call under way with an error for {@code why}; durable ones go on after a restart.
   */
  public void stopAll(String why) {
    durableCalls.closing();
    calls.stopAll(why);
  }

  /** Waits until no call is under way, for {@code atMost}; says whether that is so. */
  public boolean awaitIdle(Duration atMost) throws InterruptedException {
    return calls.awaitIdle(atMost);
  }

  /** Closes the providers' clients once their last call has ended. */
  @Override
  public void close() {
    calls.close();
    current.upstreams().retire(null);
  }
}
