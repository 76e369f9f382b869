package dev.mainstay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.Verdicts;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PoisonMemoryTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Verdict INVALID = Verdicts.logic(Kind.INVALID_REQUEST, null);

  private final PoisonMemory<String> memory = new PoisonMemory<>(String::length, bytes -> true);
  private final PoisonMemory.Key key = new PoisonMemory.Key("team-a", "digest");

  @Test
  void threeInAMinuteAreAnsweredFromMemoryUntilTheCoolDown() {
    assertThat(memory.isEmpty()).isTrue();
    assertThat(memory.failed(key, INVALID, "1st", 0)).isFalse();
    assertThat(memory.failed(key, INVALID, "2nd", SECOND)).isFalse();
    assertThat(memory.answer(key, SECOND)).isNull();
    assertThat(memory.failed(key, INVALID, "3rd", 2 * SECOND)).isTrue();
    assertThat(memory.answer(key, 61 * SECOND)).isEqualTo("3rd");
    assertThat(memory.until(key, 3 * SECOND)).isEqualTo(62 * SECOND);
    assertThat(memory.answer(key, 62 * SECOND)).isNull();
  }

  @Test
  void theCoolDownDoublesUpToTenMinutes() {
    long now = 0;
    poison(now);
    for (long minutes : new long[] {1, 2, 4, 8, 10, 10}) {
      assertThat(memory.answer(key, now + minutes * 60 * SECOND - 1)).isNotNull();
      now += minutes * 60 * SECOND;
      assertThat(memory.answer(key, now)).isNull();
      assertThat(memory.failed(key, INVALID, "again", now)).isTrue();
    }
  }

  @Test
  void oneFailureOfTheNextDayIsNoneOfTodays() {
    poison(0);
    long tomorrow = Duration.ofDays(1).toNanos();
    assertThat(memory.failed(key, INVALID, "1st", tomorrow)).isFalse();
    assertThat(memory.answer(key, tomorrow)).isNull();
    assertThat(memory.failed(key, INVALID, "2nd", tomorrow)).isFalse();
    assertThat(memory.failed(key, INVALID, "3rd", tomorrow)).isTrue();
  }

  @Test
  void anotherBodyClientOrFailureIsAnotherCase() {
    poison(0);
    assertThat(memory.answer(new PoisonMemory.Key("team-a", "other"), 0)).isNull();
    assertThat(memory.answer(new PoisonMemory.Key("team-b", "digest"), 0)).isNull();
    assertThat(memory.failed(key, Verdicts.fatal(Kind.BILLING, Blame.KEY), "money", 0)).isFalse();
    assertThat(memory.answer(key, 0)).isNull();
  }

  @Test
  void failuresSlowerThanThatAreForgotten() {
    memory.failed(key, INVALID, "1st", 0);
    memory.failed(key, INVALID, "2nd", SECOND);
    assertThat(memory.failed(key, INVALID, "3rd", 61 * SECOND)).isFalse();
  }

  @Test
  void whatMaySucceedLaterIsNotRemembered() {
    for (int i = 0; i < 5; i++) {
      memory.failed(key, Verdicts.transientFailure(Kind.OVERLOADED), "busy", 0);
      memory.failed(key, Verdicts.badAnswer(Kind.INVALID_TOOL_CALL), "bad", 0);
      memory.failed(key, Verdicts.fatal(Kind.CANCELLED, Blame.CALLER), "left", 0);
    }
    assertThat(memory.isEmpty()).isTrue();
  }

  @Test
  void aSuccessForgets() {
    poison(0);
    memory.succeeded(key);
    assertThat(memory.answer(key, 0)).isNull();
    assertThat(memory.isEmpty()).isTrue();
  }

  @Test
  void itsBytesAreBoundedAndTheLeastRecentlyUsedGoFirst() {
    var held = new AtomicLong();
    var small =
        new PoisonMemory<String>(
            1,
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            String::length,
            bytes -> {
              if (bytes <= 2500) {
                held.set(bytes);
              }
              return bytes <= 2500;
            });
    var a = new PoisonMemory.Key("", "a");
    var b = new PoisonMemory.Key("", "b");
    small.failed(a, INVALID, "a".repeat(600), 0);
    small.failed(b, INVALID, "b".repeat(600), 0);
    assertThat(small.answer(a, 0)).startsWith("a");
    small.failed(new PoisonMemory.Key("", "c"), INVALID, "c".repeat(600), 0);
    assertThat(small.size()).isEqualTo(2);
    assertThat(small.answer(a, 0)).startsWith("a");
    assertThat(small.answer(b, 0)).isNull();
    assertThat(held.get()).isBetween(2200L, 2500L);
    small.failed(b, INVALID, "b".repeat(3000), 0);
    assertThat(small.answer(b, 0)).as("larger than all there is").isNull();
    assertThat(held.get()).isZero();
    small.failed(a, INVALID, "a", 0);
    assertThat(small.evict(1)).isEqualTo(513);
    assertThat(held.get()).isZero();
    assertThat(small.isEmpty()).isTrue();
  }

  private void poison(long now) {
    for (int i = 0; i < 3; i++) {
      memory.failed(key, INVALID, "evidence", now);
    }
    assertThat(memory.answer(key, now)).isEqualTo("evidence");
  }
}
