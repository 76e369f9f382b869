package dev.mainstay.engine.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.MemoryBudget.Use;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JoinableCallsTest {
  private final FakeLoop loop = new FakeLoop();
  private final MemoryBudget memory = new MemoryBudget(100 << 20);
  private final JoinableCalls sharing = new JoinableCalls(null, memory);
  private boolean gone;

  private SharedAnswer retried(FakeRecipient client, String call) {
    var answer = sharing.retried(client, same(), call, false, false);
    answer.onGone(() -> gone = true);
    loop.settle();
    return answer;
  }

  /** Equal and not the same, as the bodies of two requests are. */
  private static JoinableCalls.Same same() {
    return new JoinableCalls.Same("c", "/v1", "", new byte[] {1, 2});
  }

  private FakeRecipient client() {
    return new FakeRecipient(loop);
  }

  private boolean claimed(FakeRecipient client) {
    boolean claimed = sharing.claimed(client, same());
    loop.settle();
    return claimed;
  }

  private void answered(SharedAnswer answer, String text) {
    answer.respond(
        200, new DefaultHttpHeaders(), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    sharing.ended(record(answer.call(), null));
    loop.settle();
  }

  private static CallRecord record(String id, @Nullable String verdict) {
    return new CallRecord(
        new CallStart(id, null, null, "c", Instant.EPOCH, "d", "/", "m", false),
        new CallRecord.Outcome("t", 200, verdict, List.of(), 1, null, Duration.ZERO),
        new CallRecord.Cost(null, null, null));
  }

  @Test
  void aCallLeftAloneIsGivenItsTimeAndNoMore() {
    var first = client();
    retried(first, "call_1");
    first.leave();
    loop.pass(JoinableCalls.GRACE.minusMillis(1));
    assertThat(gone).isFalse();
    loop.pass(Duration.ofMillis(1));
    assertThat(gone).isTrue();
  }

  @Test
  void aRetryInTimeKeepsTheCallAndIsGivenItsAnswer() {
    var first = client();
    var answer = retried(first, "call_1");
    first.leave();
    loop.pass(JoinableCalls.GRACE.minusMillis(1));
    var retry = client();
    assertThat(claimed(retry)).isTrue();
    loop.pass(JoinableCalls.GRACE);
    assertThat(gone).isFalse();
    answered(answer, "whole");
    assertThat(retry.got).hasToString("whole");
    assertThat(first.got).isEmpty();
    assertThat(sharing.isEmpty()).isTrue();
    assertThat(memory.used()).isZero();
  }

  @Test
  void anAnswerLeftUnheardWaitsForOneRetryAndNoLonger() {
    for (boolean late : new boolean[] {false, true}) {
      var first = client();
      var answer = retried(first, "call_1");
      first.leave();
      loop.settle();
      answered(answer, "whole");
      loop.pass(late ? JoinableCalls.GRACE : JoinableCalls.GRACE.minusMillis(1));
      var retry = client();
      assertThat(claimed(retry)).isEqualTo(!late);
      assertThat(retry.got.toString()).isEqualTo(late ? "" : "whole");
      assertThat(claimed(client())).isFalse();
      loop.pass(JoinableCalls.GRACE);
      assertThat(sharing.isEmpty()).isTrue();
      assertThat(memory.used()).isZero();
    }
  }

  @Test
  void anAnswerThatWasHeardIsNobodysRetry() {
    var first = client();
    answered(retried(first, "call_1"), "whole");
    assertThat(first.got).hasToString("whole");
    assertThat(claimed(client())).isFalse();
    assertThat(sharing.isEmpty()).isTrue();
  }

  @Test
  void aFailureLeftUnheardIsNotGivenToTheRetry() {
    var first = client();
    var answer = retried(first, "call_1");
    first.leave();
    loop.settle();
    answer.respond(500, new DefaultHttpHeaders(), Unpooled.EMPTY_BUFFER);
    sharing.ended(record("call_1", "TRANSIENT/server_error"));
    assertThat(claimed(client())).isFalse();
  }

  @Test
  void theCallThatNobodyHearsIsClaimedBeforeOneThatIsHeardAndEachOnce() {
    var heard = client();
    var first = retried(heard, "call_1");
    var leaver = client();
    var second = retried(leaver, "call_2");
    leaver.leave();
    loop.settle();
    var retry = client();
    assertThat(claimed(retry)).isTrue();
    var another = client();
    assertThat(claimed(another)).as("the other may have lost its client unseen").isTrue();
    assertThat(claimed(client())).isFalse();
    // A retry that leaves in its turn makes room for the next one.
    retry.leave();
    loop.settle();
    var next = client();
    assertThat(claimed(next)).isTrue();
    answered(first, "one");
    answered(second, "two");
    assertThat(heard.got).hasToString("one");
    assertThat(another.got).hasToString("one");
    assertThat(next.got).hasToString("two");
    assertThat(sharing.isEmpty()).isTrue();
  }

  /** Whoever joins, leaves or stalls when: each reads the whole answer, in order, or left. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 20, 1000})
  void everyReaderGetsEveryByteOnceWhateverHappens(int perAnswer) {
    for (int seed = 0; seed < 2000; seed++) {
      var random = new Random(seed);
      var mine = new FakeLoop();
      var reserved = memory.reserve(Use.ANSWER, perAnswer);
      var answer = SharedAnswer.joinable("call", mine, Duration.ofSeconds(1), false, reserved);
      var readers = new ArrayList<FakeRecipient>();
      var whole = new StringBuilder();
      boolean begun = false;
      boolean ended = false;
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(7)) {
          case 0 -> {
            var reader = new FakeRecipient(new FakeLoop());
            if (answer.join(reader, null)) {
              readers.add(reader);
            }
          }
          case 1, 2 -> {
            if (!begun) {
              begun = true;
              answer.begin(200, new DefaultHttpHeaders());
            } else if (!ended) {
              var text = "<" + step + ">";
              whole.append(text);
              answer.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            }
          }
          case 3 -> mine.turn();
          case 4 -> readers.forEach(reader -> ((FakeLoop) reader.loop()).turn());
          case 5 -> readers.forEach(reader -> reader.writable(random.nextBoolean()));
          default -> {
            if (!readers.isEmpty() && random.nextInt(4) == 0) {
              readers.remove(random.nextInt(readers.size())).leave();
            }
          }
        }
        for (var reader : readers) {
          assertThat(whole.toString()).startsWith(reader.got.toString());
        }
      }
      if (begun) {
        answer.end();
        readers.forEach(reader -> reader.writable(true));
        readers.forEach(reader -> ((FakeLoop) reader.loop()).settle());
        for (var reader : readers) {
          assertThat(reader.got.toString()).as("seed %d", seed).isEqualTo(whole.toString());
          assertThat(reader.ended).isTrue();
        }
        var stored = answer.stored();
        if (stored != null) {
          assertThat(new String(stored.body(), StandardCharsets.UTF_8))
              .hasToString(whole.toString());
        }
        assertThat(stored != null || whole.length() > 40).isTrue();
      }
      answer.close();
      assertThat(memory.used()).isZero();
    }
  }

  @Test
  void theCallWaitsForTheFastestWhileAllFitsAndForTheSlowestBeyond() {
    for (int perAnswer : new int[] {1 << 20, 1000}) {
      var answer =
          SharedAnswer.joinable("call", loop, null, false, memory.reserve(Use.ANSWER, perAnswer));
      var resumed = new boolean[1];
      answer.onWritable(() -> resumed[0] = true);
      var fast = client();
      var slow = client();
      answer.join(fast, null);
      answer.join(slow, null);
      slow.writable(false);
      answer.begin(200, new DefaultHttpHeaders());
      answer.write(Unpooled.wrappedBuffer(new byte[100 << 10]));
      loop.settle();
      assertThat(answer.writable()).isEqualTo(perAnswer > 1000);
      slow.writable(true);
      loop.settle();
      assertThat(answer.writable()).isTrue();
      assertThat(resumed[0]).isEqualTo(perAnswer <= 1000);
      fast.writable(false);
      slow.writable(false);
      answer.write(Unpooled.wrappedBuffer(new byte[100 << 10]));
      loop.settle();
      assertThat(answer.writable()).isFalse();
      fast.leave();
      slow.leave();
      loop.settle();
      assertThat(resumed[0]).as("nobody is slow any more").isTrue();
      assertThat(answer.writable()).isTrue();
    }
  }
}
