package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes into a dialect comes out of it again, and whatever does not is said. */
class RoundTripPropertyTest {
  private static final int REQUESTS = 300;

  static List<Arguments> pairs() {
    var pairs = new ArrayList<Arguments>();
    for (var a : Dialect.values()) {
      for (var b : Dialect.values()) {
        if (a != b) {
          pairs.add(Arguments.of(a, b));
        }
      }
    }
    return pairs;
  }

  private static String model(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT, OPENAI_RESPONSES -> "gpt-5.6";
      case MISTRAL -> "mistral-large-latest";
      case ANTHROPIC -> "claude-sonnet-4-6";
      case GEMINI -> "gemini-3-flash";
    };
  }

  /** A request in {@code to}, read back, and what was said to be lost; null where it is refused. */
  private record Trip(Request request, List<String> lost) {}

  private static @Nullable Trip cross(Request request, Dialect from, Dialect to) {
    var context = new TranslationContext(from, to, model(to), true, OnLoss.DROP);
    try {
      var body = Body.bytes(Requests.write(context, request));
      var back = new TranslationContext(to, from, model(from), true, OnLoss.DROP);
      var read = Requests.read(back, Body.read(body));
      assertThat(back.degraded()).as("lost in reading").isEmpty();
      return new Trip(read, List.copyOf(context.degraded()));
    } catch (UntranslatableException e) {
      return null;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatADialectSaidOnceItSaysAgain(Dialect dialect) {
    int said = 0;
    for (long seed = 0; seed < REQUESTS; seed++) {
      var first = cross(new RandomRequest(seed).next(), dialect, dialect);
      if (first != null) {
        var again = cross(first.request(), dialect, dialect);
        if (again == null) {
          throw new AssertionError("refused at seed " + seed);
        }
        assertThat(again.lost()).as("seed " + seed).isEmpty();
        assertThat(again.request()).as("seed " + seed).isEqualTo(first.request());
        said++;
      }
    }
    assertThat(said).isGreaterThan(REQUESTS / 3);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void whereNothingIsSaidToBeLostNothingIs(Dialect a, Dialect b) {
    int whole = 0;
    for (long seed = 0; seed < REQUESTS; seed++) {
      var first = cross(new RandomRequest(seed).next(), a, a);
      var there = first == null ? null : cross(first.request(), a, b);
      if (first != null && there != null && there.lost().isEmpty()) {
        var back = cross(there.request(), b, a);
        if (back == null) {
          throw new AssertionError("refused at seed " + seed);
        }
        assertThat(back.lost()).as("seed " + seed).isEmpty();
        assertThat(Normal.of(back.request()))
            .as("seed " + seed)
            .isEqualTo(Normal.of(first.request()));
        whole++;
      }
    }
    assertThat(whole).isGreaterThan(REQUESTS / 50);
  }

  @Test
  void everyRequestIsTranslatedOrRefusedByName() {
    for (long seed = 0; seed < REQUESTS; seed++) {
      var request = new RandomRequest(seed).next();
      for (var to : Dialect.values()) {
        var context =
            new TranslationContext(Dialect.OPENAI_CHAT, to, model(to), false, OnLoss.DROP);
        try {
          assertThat(Requests.write(context, request)).isNotEmpty();
        } catch (UntranslatableException e) {
          assertThat(e.name()).as("seed " + seed).isNotEmpty();
        }
      }
    }
  }
}
