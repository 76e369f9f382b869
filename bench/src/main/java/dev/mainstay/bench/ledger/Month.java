package dev.mainstay.bench.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A month of an invented shop's calls: quiet nights and weekends, a few models and clients that
 * make most of them, and an afternoon on which a provider was overloaded.
 */
final class Month {
  static final Duration LENGTH = Duration.ofDays(30);

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The overloaded afternoon began so long ago. */
  private static final Duration INCIDENT = Duration.ofHours(63);

  private static final Duration INCIDENT_LENGTH = Duration.ofHours(5);

  /** A call of each so many begins a run of its own; there are so many runs in a million calls. */
  private static final int IN_RUNS = 5;

  /** A call of each so many belongs to {@link #LONG_RUN}. */
  private static final int IN_LONG_RUN = 20;

  /** A run of a client that never ended. */
  static final String LONG_RUN = "run_long";

  /** A call of each so many is one of an agent's run. */
  private static final int OF_AGENTS = 10;

  /** A call of each so many, about one an hour, is a rare client's and asks for a rare model. */
  private static final int RARE = 1_400;

  static final String RARE_NAME = "hourly";

  private static final int WORDS = 24;
  private static final int VOCABULARY = 5_000;

  /**
   * What calls ask for.
   *
   * @param share of all calls, in percent
   * @param millis of a usual answer
   * @param input tokens of a usual request
   * @param nanos dollars of a usual call, in billionths
   */
  private record Model(
      String name, String target, String backup, int share, int millis, int input, long nanos) {}

  private static final List<Model> MODELS =
      List.of(
          model("assistant", "openai/gpt-4o", "backup/gpt-4o", 42, 2100, 1800, 1_900_000),
          model("quick", "gemini/gemini-2.5-flash", "openai/gpt-4o-mini", 31, 700, 900, 240_000),
          model(
              "writer", "anthropic/claude-sonnet-4-5", "openai/gpt-4o", 16, 5200, 2600, 4_100_000),
          model("careful", "agents/gpt-4.1", "openai/gpt-4o", 8, 3600, 4200, 2_700_000),
          model("translate", "mistral/mistral-large", "openai/gpt-4o", 3, 1500, 1100, 800_000));

  private static final List<String> CLIENTS =
      List.of("checkout", "support", "support", "search", "mobile", "mobile", "reports", "growth");
  private static final List<String> PASSING =
      List.of(
          "TRANSIENT/rate_limit",
          "TRANSIENT/rate_limit",
          "TRANSIENT/rate_limit",
          "TRANSIENT/server_error",
          "TRANSIENT/server_error",
          "TRANSIENT/timeout",
          "TRANSIENT/stream_interrupted");
  private static final List<String> LASTING =
      List.of("LOGIC/context_length", "LOGIC/bad_request", "FATAL/auth", "LOGIC/context_length");

  private final Random random = new Random(144);
  private final Instant start;
  private final Instant incident;

  Month(Instant now) {
    start = now.minus(LENGTH);
    incident = now.minus(INCIDENT);
  }

  private static Model model(
      String name, String target, String backup, int share, int millis, int input, long nanos) {
    return new Model(name, target, backup, share, millis, input, nanos);
  }

  /** When each of {@code calls} calls began, in order. */
  long[] times(int calls) {
    int minutes = (int) LENGTH.dividedBy(MINUTE);
    var until = new double[minutes];
    double sum = 0;
    for (int i = 0; i < minutes; i++) {
      sum += weight(start.plus(MINUTE.multipliedBy(i)));
      until[i] = sum;
    }
    var times = new long[calls];
    int minute = 0;
    for (int i = 0; i < calls; i++) {
      double at = sum * i / calls;
      while (until[minute] < at) {
        minute++;
      }
      double part =
          1 - (until[minute] - at) / (until[minute] - (minute == 0 ? 0 : until[minute - 1]));
      times[i] = start.toEpochMilli() + (long) ((minute + part) * MINUTE.toMillis());
    }
    return times;
  }

  /** How much is asked at that time of the week. */
  private static double weight(Instant at) {
    var day = at.atOffset(ZoneOffset.UTC);
    double hour = day.getHour() + day.getMinute() / 60.0;
    double daily = 1 - 0.75 * Math.cos((hour - 3) / 24 * 2 * Math.PI);
    boolean weekend = day.getDayOfWeek().getValue() > 5;
    return daily * (weekend ? 0.45 : 1) * (1 + 0.08 * Math.sin(at.getEpochSecond() / 9_000.0));
  }

  /** The id of the call of that number. */
  static String id(int number) {
    return "call_%010d".formatted(number);
  }

  /** The run that the call of that number belongs to, or null. */
  private static @Nullable String run(int number) {
    if (number % IN_LONG_RUN == 2) {
      return LONG_RUN;
    }
    if (number % OF_AGENTS == 3) {
      return AgentRuns.id(number / OF_AGENTS % AgentRuns.COUNT);
    }
    return number % IN_RUNS == 0 ? "run_%06d".formatted(number / IN_RUNS) : null;
  }

  /** Words as they are in texts: few that are in most, and many that are rare. */
  private String words() {
    var text = new StringBuilder();
    for (int i = 0; i < WORDS; i++) {
      int word = (int) (VOCABULARY * Math.pow(random.nextDouble(), 4));
      text.append(i == 0 ? "" : " ").append("word").append(word);
    }
    return text.toString();
  }

  private List<Body> bodies(String model, boolean failed) {
    var asked =
        "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
            .formatted(model, words());
    var answered =
        failed
            ? "{\"error\":{\"message\":\"It failed.\",\"type\":\"server_error\"}}"
            : "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"%s\"}}]}"
                .formatted(words());
    return List.of(
        new Body(0, Body.Part.REQUEST, asked.getBytes(UTF_8)),
        new Body(0, Body.Part.RESPONSE, answered.getBytes(UTF_8)));
  }

  /** Hands the call of that number to the ledger. */
  void record(Ledger ledger, Instant at, int number) {
    var id = id(number);
    var model = MODELS.get(pick());
    boolean rare = number % RARE == 7;
    var asked = rare ? RARE_NAME : model.name();
    var since = Duration.between(incident, at);
    boolean overloaded =
        model.target().startsWith("openai")
            && !since.isNegative()
            && since.compareTo(INCIDENT_LENGTH) < 0;
    boolean refused = random.nextInt(260) == 0;
    boolean broken = !refused && random.nextInt(1000) < (overloaded ? 610 : 24);
    boolean lost = broken && random.nextInt(1000) < (overloaded ? 90 : 30);
    boolean failed = refused || lost;
    var verdict =
        refused
            ? LASTING.get(random.nextInt(LASTING.size()))
            : overloaded ? "TRANSIENT/overloaded" : PASSING.get(random.nextInt(PASSING.size()));
    boolean elsewhere = broken && (overloaded || random.nextInt(3) == 0);
    var took =
        Duration.ofMillis(
            (long) (model.millis() * (0.35 + 0.65 * Math.exp(0.5 * random.nextGaussian())))
                + (broken ? 400 + random.nextInt(900) : 0));
    int input = 1 + (int) (model.input() * (0.4 + 1.2 * random.nextDouble()));
    var used = new Tokens(input, input / 4, 0, 40 + random.nextInt(600), 0, false);
    long nanos = (long) (model.nanos() * (0.5 + random.nextDouble()));
    var attempts = new ArrayList<AttemptRecord>();
    if (broken || failed) {
      attempts.add(attempt(id, 1, model.target(), at, took, verdict));
    }
    var answeredBy = elsewhere ? model.backup() : model.target();
    if (!failed) {
      attempts.add(answer(id, attempts.size() + 1, answeredBy, at, took, used, nanos));
    }
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(
                    id,
                    run(number),
                    null,
                    rare ? RARE_NAME : CLIENTS.get(random.nextInt(CLIENTS.size())),
                    at,
                    "openai",
                    number % OF_AGENTS == 3
                        ? CallRecord.AGENT_PATH
                            + AgentRuns.agent(number / OF_AGENTS % AgentRuns.COUNT)
                        : "/v1/chat/completions",
                    asked,
                    true),
                new CallRecord.Outcome(
                    failed ? null : answeredBy,
                    refused ? 400 : failed ? 503 : 200,
                    failed ? verdict : null,
                    broken && !failed ? List.of(elsewhere ? "fallback" : "retry") : List.of(),
                    attempts.size(),
                    failed ? null : took.dividedBy(3),
                    took),
                new CallRecord.Cost(
                    failed ? null : used, failed ? null : (Long) nanos, "2026-11-22")),
            attempts,
            bodies(asked, failed));
  }

  private int pick() {
    int at = random.nextInt(100);
    int model = 0;
    while (at >= MODELS.get(model).share()) {
      at -= MODELS.get(model++).share();
    }
    return model;
  }

  private static AttemptRecord attempt(
      String call, int number, String target, Instant at, Duration took, String verdict) {
    return new AttemptRecord(
        call,
        number,
        target,
        new AttemptRecord.Times(Duration.ZERO, at, at.plusMillis(50), null, at.plus(took)),
        new AttemptRecord.Outcome(
            503,
            "{\"where\":\"http\",\"status\":503,\"body\":null}",
            verdict,
            "general.status",
            "retry",
            "measured"),
        new AttemptRecord.Use(2_000, 5_000, null, null));
  }

  private static AttemptRecord answer(
      String call, int number, String target, Instant at, Duration took, Tokens used, long nanos) {
    return new AttemptRecord(
        call,
        number,
        target,
        new AttemptRecord.Times(
            Duration.ZERO, at, at.plusMillis(50), at.plus(took.dividedBy(3)), at.plus(took)),
        new AttemptRecord.Outcome(200, null, null, null, "proceed", "measured"),
        new AttemptRecord.Use(2_000, 5_000, used, nanos));
  }
}
