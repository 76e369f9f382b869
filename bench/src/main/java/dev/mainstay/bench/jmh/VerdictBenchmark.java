package dev.mainstay.bench.jmh;

import dev.mainstay.core.classify.Classifier;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Verdict;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a verdict costs; aim: under 20 µs for an error of 1 KB. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class VerdictBenchmark {
  private final Classifier classifier = Classifier.standard();

  private final Failure rateLimit =
      new Failure.Reply(
          "openai",
          429,
          new Headers(Map.of("retry-after-ms", "1200", "content-type", "application/json")),
          """
          {"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): \
          Limit 30000, Used 29500, Requested 1100. Please try again in 1.2s.","type":"tokens",\
          "param":null,"code":"rate_limit_exceeded"}}""");

  /** Decided by words in the general rules, after every table has been asked: the longest way. */
  private final Failure unknownOf1Kb =
      new Failure.Reply(
          null,
          400,
          Headers.none(),
          "{\"error\":{\"message\":\""
              + "The widget 17 of the request did not pass; see the manual of the widget. "
                  .repeat(13)
              + "\",\"type\":\"widget_error\"}}");

  private final Failure wrapped =
      new Failure.Thrown(
          "litellm",
          "litellm.RateLimitError: AnthropicException - "
              + "b'{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"
              + "\"This request would exceed the rate limit for your organization. Please retry"
              + " after 26 seconds.\"}}'",
          null,
          Headers.none(),
          null);

  @Benchmark
  public Verdict rateLimitOfOpenAi() {
    return classifier.classify(rateLimit);
  }

  @Benchmark
  public Verdict unknownErrorOf1Kb() {
    return classifier.classify(unknownOf1Kb);
  }

  @Benchmark
  public Verdict errorWrappedByLiteLlm() {
    return classifier.classify(wrapped);
  }
}
