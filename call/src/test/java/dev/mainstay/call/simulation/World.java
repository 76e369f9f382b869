package dev.mainstay.call.simulation;

import dev.mainstay.call.Calls;
import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.LearnedQuirks;
import dev.mainstay.call.api.ObjectBinding;
import dev.mainstay.call.api.Peers;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.call.settings.Timeouts;
import dev.mainstay.call.settings.ToolCalls;
import dev.mainstay.call.settings.ToolSchemas;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.guard.BreakerSettings;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.RetryOn;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.Proxy;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamOptions;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.wire.Api;
import dev.mainstay.wire.money.PriceRow;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.request.MalformedRequest;
import dev.mainstay.wire.request.RequestReader;
import dev.mainstay.wire.translate.OnLoss;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * One schedule, all of it drawn from a seed: providers, keys, limits, breakers, a policy for each
 * call, what providers do, when clients come, read and leave, and when the configuration is
 * replaced.
 */
final class World {
  private static final long SECOND = 1_000_000_000L;
  private static final int MOST_STEPS = 200_000;

  private static final Prices PRICES =
      Prices.none().with(List.of(price(Unit.INPUT, "1"), price(Unit.OUTPUT, "2")));

  private static PriceRow price(Unit unit, String usd) {
    return new PriceRow(
        "m", unit, new BigDecimal(usd), LocalDate.parse("2020-01-01"), 0, "a simulation");
  }

  private static final String VOWELS = "aeiou";
  private static final String CONSONANTS = "bcdfghklmnprstvw";

  private final SplittableRandom random;
  private final VirtualTime time;
  private final BreakerSettings breaker;
  private final InFlight inFlight;
  private final Promises promises;
  private final SimulatedBudget budget;
  private final MemoryBudget memory = new MemoryBudget(256L << 20);
  private final List<UpstreamClient> clients = new ArrayList<>();
  private final int providers;
  private final Api[] apis;
  private final int[] health;
  private final int[] mostKeys;
  private final Calls service;
  private Upstreams upstreams;
  private Guards guards;

  World(long seed) {
    random = new SplittableRandom(seed);
    time = new VirtualTime(random.nextLong(-100 * SECOND, 100 * SECOND));
    breaker =
        new BreakerSettings(
            1 + random.nextInt(6),
            0.5,
            2 + random.nextInt(20),
            Duration.ofSeconds(10),
            Duration.ofMillis(1 + random.nextInt(6_000)),
            Duration.ofSeconds(10));
    inFlight =
        random.nextInt(3) == 0
            ? new InFlight(
                1 + random.nextInt(2), random.nextInt(3), Duration.ofMillis(random.nextInt(3_000)))
            : InFlight.defaults();
    promises = new Promises(time, breaker, inFlight);
    budget =
        new SimulatedBudget(
            time,
            random.split(),
            promises,
            random.nextInt(4) == 0 ? SimulatedBudget.MOST * random.nextInt(6) : 1L << 50);
    providers = 1 + random.nextInt(3);
    apis = new Api[providers];
    health = new int[providers];
    mostKeys = new int[providers];
    for (int i = 0; i < providers; i++) {
      apis[i] = pick(Api.values());
      health[i] = random.nextInt(4) == 0 ? 0 : random.nextInt(100);
    }
    upstreams = Upstreams.create(specs(), share(), this::client, Peers.NONE, null);
    guards = new Guards(breaker, inFlight);
    promises.guardedBy(guards);
    service =
        new Calls(
            new Services(
                Classifier.standard()::classify,
                new Ledger(),
                () -> PRICES,
                time,
                time::nanos,
                random.split(),
                new LearnedQuirks(time::nanos),
                memory,
                (call, _) -> reported(call)));
  }

  private double share() {
    return random.nextBoolean() ? 100 : 0.2;
  }

  // ---- the configuration

  private List<ProviderSpec> specs() {
    var specs = new ArrayList<ProviderSpec>();
    for (int i = 0; i < providers; i++) {
      var api = apis[i];
      var keys = new ArrayList<String>();
      // A key that is taken out and put in again begins anew, which is no promise broken.
      mostKeys[i] = Math.max(mostKeys[i], random.nextInt(3));
      for (int k = mostKeys[i]; k >= 0; k--) {
        keys.add("sk-secret-" + i + "-" + k);
      }
      specs.add(
          new ProviderSpec(
              "p" + i,
              api,
              api.label(),
              UpstreamOptions.of(baseUrl(i))
                  .withProxy(Proxy.NONE)
                  .withConnect(Duration.ofSeconds(1 + random.nextInt(3))),
              keys,
              Map.of(),
              random.nextInt(8) == 0
                  ? new RateLimits(
                      random.nextBoolean() ? null : 1 + random.nextInt(60),
                      null,
                      random.nextBoolean() ? null : 1 + random.nextInt(2))
                  : RateLimits.NONE));
    }
    return specs;
  }

  /** The usage of a stream is asked for at OpenAI's own address. */
  private String baseUrl(int provider) {
    if (apis[provider] != Api.OPENAI) {
      return "http://p" + provider + ".test";
    }
    return provider == 0 ? "https://api.openai.com/v1" : "http://p" + provider + ".test/v1";
  }

  private UpstreamClient client(UpstreamOptions options) {
    var host = options.baseUrl().getHost();
    int i = host.equals("api.openai.com") ? 0 : host.charAt(1) - '0';
    var made =
        UpstreamClient.over(
            new SimulatedProvider("p" + i, apis[i], health[i], time, random.split(), promises),
            options);
    clients.add(made);
    return made;
  }

  private void reload() {
    var before = upstreams;
    upstreams = Upstreams.create(specs(), share(), this::client, Peers.NONE, before);
    time.trace("reloaded");
    guards = guards.with(breaker, inFlight, provider -> upstreams.keeps(provider, before));
    promises.guardedBy(guards);
    service.forget();
    before.retire(upstreams);
  }

  // ---- calls

  private void begin(int index) {
    var loop = time.loop();
    var wire = wire();
    var client =
        new SimulatedClient(
            time,
            random.split(),
            loop,
            random.nextInt(4) == 0 ? 1 + random.nextInt(600) : Integer.MAX_VALUE,
            promises,
            wire);
    var answer = answer();
    var request = request(index, wire, answer.callsTool(), client);
    var call = new Observed(index, request, wire, answer, client, time.nanos());
    promises.begins(call);
    var id = service.newId();
    promises.started(id, call);
    service.start(
        id,
        request,
        upstreams,
        guards,
        client,
        budget.of(call),
        RouteLease.of(request.plan().route(), upstreams));
    if (random.nextInt(6) == 0) {
      time.in(random.nextLong(20 * SECOND), client::leave);
    }
  }

  /** Half of the clients speak a dialect of a provider there is; the others any. */
  private Wire wire() {
    var api = random.nextBoolean() ? apis[random.nextInt(providers)] : null;
    var spoken = Wire.CLIENTS.stream().filter(each -> api == null || each.isOf(api)).toList();
    return spoken.get(random.nextInt(spoken.size()));
  }

  private Wire.Answer answer() {
    boolean tool = random.nextInt(4) == 0;
    var text = new StringBuilder();
    for (int words = tool ? random.nextInt(3) : 1 + random.nextInt(35); words > 0; words--) {
      if (!text.isEmpty()) {
        text.append(' ');
      }
      for (int syllables = 1 + random.nextInt(4); syllables > 0; syllables--) {
        text.append(CONSONANTS.charAt(random.nextInt(CONSONANTS.length())));
        text.append(VOWELS.charAt(random.nextInt(VOWELS.length())));
      }
    }
    return new Wire.Answer(
        text.toString(),
        tool ? "{\"what\":\"" + text.length() + random.nextInt(1_000_000) + "\"}" : "",
        1 + random.nextInt(SimulatedBudget.MOST_TOKENS));
  }

  private CallRequest request(int index, Wire wire, boolean tools, ObjectBinding objects) {
    boolean stream = random.nextInt(4) != 0;
    var targets = new ArrayList<TargetId>();
    for (int i = 0; i < providers; i++) {
      targets.add(new TargetId("p" + i, "m"));
    }
    int first = random.nextInt(providers);
    var route = new ArrayList<TargetId>();
    for (int i = random.nextInt(providers); i >= 0; i--) {
      route.add(targets.get((first + i) % providers));
    }
    byte[] body =
        wire.request(stream, tools, "Say it " + random.nextInt(4)).getBytes(StandardCharsets.UTF_8);
    try {
      return new CallRequest(
          new CallRequest.Content(
              wire.operation(),
              wire.dialect(),
              "any",
              stream,
              false,
              RequestReader.read(wire.operation(), body),
              body),
          new CallRequest.Plan(
              new Route(route), settings(), limits(), random.nextBoolean(), objects),
          new CallRequest.Origin(
              wire.path(stream),
              Map.of(),
              number -> index + "-" + number,
              "simulation",
              null,
              null,
              null));
    } catch (MalformedRequest e) {
      throw new IllegalStateException(e);
    }
  }

  private Limits limits() {
    return new Limits(
        random.nextInt(6) == 0 ? 1 + random.nextInt(4) : null,
        random.nextInt(6) == 0 ? Duration.ofMillis(1 + random.nextInt(20_000)) : null,
        random.nextInt(6) == 0 ? Duration.ofMillis(1 + random.nextInt(20_000)) : null);
  }

  private CallSettings settings() {
    var initial = Duration.ofMillis(random.nextInt(2_000));
    var repairs = EnumSet.noneOf(RepairOption.class);
    for (var option : RepairOption.values()) {
      if (random.nextBoolean()) {
        repairs.add(option);
      }
    }
    var policy =
        new Policy(
            1 + random.nextInt(8),
            initial.plusMillis(1 + random.nextInt(120_000)),
            new Policy.Retry(
                pick(RetryOn.values()),
                1 + random.nextInt(4),
                initial,
                1 + random.nextDouble() * 3,
                initial.plusMillis(random.nextInt(20_000)),
                random.nextBoolean(),
                Duration.ofMillis(random.nextInt(5_000)),
                Duration.ofMillis(random.nextInt(90_000))),
            new Policy.Fallback(pick(FallbackOn.values())),
            random.nextInt(3) == 0 ? pick(MidStream.values()) : MidStream.CONTINUE,
            repairs,
            random.nextBoolean(),
            new Policy.Bounds(
                random.nextInt(4),
                random.nextInt(3),
                random.nextInt(3),
                random.nextInt(3),
                random.nextInt(2),
                1 + random.nextInt(3),
                random.nextInt(4)));
    var timeouts =
        new Timeouts(
            Duration.ofMillis(1 + random.nextInt(4_000)),
            random.nextBoolean() ? null : Duration.ofMillis(1 + random.nextInt(20_000)),
            Duration.ofMillis(1 + random.nextInt(30_000)),
            Duration.ofMillis(1 + random.nextInt(20_000)),
            Duration.ofMillis(1 + random.nextInt(120_000)));
    return new CallSettings(
        policy,
        timeouts,
        pick(ToolCalls.values()),
        pick(ToolSchemas.values()),
        OnLoss.DROP,
        Duration.ofMillis(500 + random.nextInt(30_000)));
  }

  private <T> T pick(T[] of) {
    return of[random.nextInt(of.length)];
  }

  // ---- the run

  /** Runs the schedule to its end, and holds it to the promises. */
  int run() {
    int calls = 1 + random.nextInt(random.nextInt(4) == 0 ? 8 : 3);
    for (int i = 0; i < calls; i++) {
      time.in(i == 0 ? 0 : random.nextLong(3 * SECOND), () -> begin(promises.calls().size()));
    }
    for (int i = random.nextInt(4) - 1; i > 0; i--) {
      time.in(random.nextLong(10 * SECOND), this::reload);
    }
    while (time.step()) {
      promises.kept();
      promises.check(time.steps() < MOST_STEPS, "5: a schedule ends");
    }
    promises.check(service.running() == 0, "5: no call runs for ever");
    promises.calls().forEach(promises::ended);
    promises.quiet(guards);
    promises.check(
        IntStream.range(0, providers).noneMatch(this::isCounted),
        "12: no attempt counts for ever against the limits of an account");
    service.close();
    upstreams.retire(null);
    for (var client : clients) {
      promises.check(client.closed(), "12: every lease is given back");
    }
    promises.check(memory.used() == 0, "12: no memory is held for ever: " + memory.used());
    return promises.calls().stream().mapToInt(call -> call.sent.size()).sum();
  }

  private boolean isCounted(int provider) {
    var at = upstreams.provider("p" + provider);
    return at != null && at.limiter.full(new RateLimits(null, null, 1), time.nanos());
  }

  private void reported(CallRecord record) {
    var call = promises.byId(record.id());
    if (call != null) {
      call.reported = true;
    }
  }

  /** Where calls are recorded. */
  private final class Ledger implements Recorder {
    @Override
    public void started(CallStart start) {
      promises.check(promises.byId(start.id()) != null, "8: a call begins before its record");
    }

    @Override
    public void attempted(AttemptStart attempt) {
      var call = promises.byId(attempt.call());
      if (call != null) {
        call.begun++;
      }
    }

    @Override
    public void record(CallRecord record, List<AttemptRecord> attempts, List<Body> bodies) {
      var call = promises.byId(record.id());
      if (call != null) {
        promises.recorded(call, record, attempts);
      }
    }

    @Override
    public boolean flush(Duration patience) {
      return true;
    }

    @Override
    public Health health() {
      return new Health(null, 0, 0, 0, 0, 0);
    }
  }
}
