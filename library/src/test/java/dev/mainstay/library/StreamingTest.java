package dev.mainstay.library;

import static dev.mainstay.library.Provider.down;
import static dev.mainstay.library.Provider.invalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mainstay.library.testing.VirtualTimer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

class StreamingTest {
  private final Mainstay mainstay =
      Mainstay.builder().policy(BlockingTest.plain()).timer(new VirtualTimer()).build();
  private int closed;

  /** An attempt's chunks; the last may be an exception to throw. */
  private Stream<String> chunks(Object... all) {
    Iterator<Object> each = List.of(all).iterator();
    var chunks =
        new Iterator<String>() {
          @Override
          public boolean hasNext() {
            return each.hasNext();
          }

          @Override
          public String next() {
            Object next = each.next();
            if (next instanceof Exception failure) {
              throw SneakyThrow.throwing(failure);
            }
            return (String) next;
          }
        };
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(chunks, Spliterator.ORDERED), false)
        .onClose(() -> closed++);
  }

  /** Attempts in order, each a list of chunks. */
  private Streaming<String> attempts(Object[]... attempts) {
    Iterator<Object[]> each = List.of(attempts).iterator();
    return mainstay
        .wrapStream("openai/gpt-4o", () -> chunks(each.next()))
        .commitsAt(chunk -> !chunk.equals("role"))
        .endsWith(chunk -> chunk.equals("[DONE]"));
  }

  private static Object[] attempt(Object... chunks) {
    return chunks;
  }

  private static List<String> all(Streaming<String> streaming) {
    try (var stream = streaming.open()) {
      return stream.stream().toList();
    }
  }

  @Test
  void aWholeStreamPassesThrough() {
    assertThat(all(attempts(attempt("role", "Hel", "lo", "[DONE]"))))
        .containsExactly("role", "Hel", "lo", "[DONE]");
    assertThat(closed).isEqualTo(1);
  }

  @Test
  void whatFailsBeforeTheCommitPointIsNeverSeen() {
    assertThat(
            all(
                attempts(
                    attempt("role", down()), attempt("role"), attempt("role", "Hello", "[DONE]"))))
        .containsExactly("role", "Hello", "[DONE]");
    assertThat(closed).isEqualTo(3);
  }

  @Test
  void afterTheCommitPointTheOriginalEndsIt() {
    var cut = down();
    var seen = new ArrayList<String>();
    try (var stream = attempts(attempt("role", "Hel", cut)).open()) {
      assertThat(catchThrowable(() -> stream.forEachRemaining(seen::add))).isSameAs(cut);
      assertThat(stream.hasNext()).isFalse();
    }
    assertThat(seen).containsExactly("role", "Hel");
    assertThat(Mainstay.historyOf(cut)).hasSize(1);
  }

  @Test
  void aStreamWithoutItsEndingIsAFailure() {
    var seen = new ArrayList<String>();
    try (var stream = attempts(attempt("role", "Hel")).open()) {
      assertThatThrownBy(() -> stream.forEachRemaining(seen::add))
          .isInstanceOf(IncompleteStreamException.class);
    }
    assertThat(seen).containsExactly("role", "Hel");
  }

  @Test
  void anAnswerWithoutContentIsHandedOverOnceItHasEnded() {
    assertThat(all(attempts(attempt("role", "role", "[DONE]")).commitsAt(_ -> false)))
        .containsExactly("role", "role", "[DONE]");
  }

  @Test
  void aMistakeIsTheCallersAtOnce() {
    var mistake = invalid();
    assertThat(catchThrowable(() -> all(attempts(attempt(mistake))))).isSameAs(mistake);
  }

  @Test
  void fallsBackBeforeTheCommitPoint() {
    var streaming =
        mainstay
            .<String>wrapStream(
                "openai/gpt-4o",
                () -> {
                  throw Provider.noMoney();
                })
            .or("anthropic/claude", () -> chunks("Hello"));
    assertThat(all(streaming)).containsExactly("Hello");
  }

  @Test
  void leavingEarlyClosesTheAttempt() {
    try (var stream = attempts(attempt("role", "Hel", "lo", "[DONE]")).open()) {
      assertThat(stream.next()).isEqualTo("role");
      assertThat(closed).isZero();
    }
    assertThat(closed).isEqualTo(1);
  }
}
