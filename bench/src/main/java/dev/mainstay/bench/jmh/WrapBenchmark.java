package dev.mainstay.bench.jmh;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.library.Mainstay;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.concurrent.Callable;
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

/**
 * What wrapping a call costs that succeeds; aim: under 300 ns and 200 bytes. The peers wrap it in a
 * retry alone; Mainstay's wrap also asks the target's breaker and counts for its retry budget.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class WrapBenchmark {
  private final String answer = "an answer";
  private final Callable<String> call = () -> answer;

  private final Mainstay mainstay = Mainstay.with(Policy.defaults());

  private final Retry resilience4j = Retry.of("model", RetryConfig.custom().maxAttempts(3).build());

  private final FailsafeExecutor<String> failsafe =
      Failsafe.with(
          RetryPolicy.<String>builder()
              .withBackoff(Duration.ofMillis(500), Duration.ofSeconds(30))
              .withMaxAttempts(3)
              .build());

  @Benchmark
  public String bare() throws Exception {
    return call.call();
  }

  @Benchmark
  public String mainstay() throws Exception {
    return mainstay.wrap("openai/gpt-4o", call).call();
  }

  @Benchmark
  public String resilience4jRetry() throws Exception {
    return resilience4j.executeCallable(call);
  }

  @Benchmark
  public String failsafeRetry() {
    return failsafe.get(call::call);
  }
}
