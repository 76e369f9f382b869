package dev.mainstay.core.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Verdict;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a failure looks like, there is a verdict, in time linear in its size. */
class ClassifierPropertyTest {
  private static final Classifier CLASSIFIER = Classifier.standard();
  private static final String[] TOKENS = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\n",
    ":",
    ",",
    "b'",
    "<html>",
    "<",
    ">",
    "error",
    "message",
    "code",
    "\"error\":",
    "'message': ",
    "429",
    " ",
    "\n",
    "data: ",
    "null",
    "retry after ",
    "12.5s",
    "input_value=",
    "failed_generation",
    "<script>",
    "Exception",
    "限流",
    "\u0000",
    "\ud800",
    "StatusCode.",
    "UNAVAILABLE",
    "{\\\"error\\\":",
    "An error occurred (",
    "\t"
  };

  @Test
  void anyMixtureOfTokensGetsAVerdict() {
    var random = new Random(7);
    for (int round = 0; round < 2_000; round++) {
      var text = soup(random, random.nextInt(120));
      var facts = facts(random.nextBoolean() ? "openai" : null, text, soup(random, 30));
      assertThatCode(() -> check(CLASSIFIER.classify(facts)))
          .as("seed 7, round %d", round)
          .doesNotThrowAnyException();
    }
  }

  @Test
  void cutOffAnywhereAnErrorStillGetsAVerdict() {
    var body =
        "{\"error\":{\"message\":\"{\\\"error\\\":{\\\"code\\\":429,\\\"details\\\":[{\\\"retryDelay\\\":\\\"3s\\\"}]}}\",\"code\":\"x\"}}";
    for (int end = 0; end <= body.length(); end++) {
      check(CLASSIFIER.classify(facts("gemini", body.substring(0, end), null)));
    }
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        Arguments.of("open braces", "{"),
        Arguments.of("objects in objects", "{\"error\":"),
        Arguments.of("lists in lists", "["),
        Arguments.of("lists of objects", "[{"),
        Arguments.of("quotes", "'"),
        Arguments.of("quotes that nothing closes", " \"a"),
        Arguments.of("quotes closed late", " 'a'b"),
        Arguments.of("escapes", "\\"),
        Arguments.of("escaped objects", "{\\\"error\\\":"),
        Arguments.of("bytes literals", "b'{\\"),
        Arguments.of("blanks", " "),
        Arguments.of("quote and blanks", "\"                       "),
        Arguments.of("tags", "<"),
        Arguments.of("pages", "<html>"),
        Arguments.of("comments", "<!--"),
        Arguments.of("scripts", "<html><script>"),
        Arguments.of("digits", "4"),
        Arguments.of("statuses", "429 "),
        Arguments.of("waits", "retry after "),
        Arguments.of("waits that are none", "try again in 3 x "),
        Arguments.of("long numbers", "try again in 11111111111111111111"),
        Arguments.of("first halves of a phrase", "credit balance "),
        Arguments.of("markers", "input_value='"),
        Arguments.of("frames", "data: {\"error\":{\"message\":\"x\"}}\n\n"),
        Arguments.of("letters", "a"),
        Arguments.of("upper case", "RESOURCE_EXHAUSTED"),
        Arguments.of("other letters", "余额不足"),
        Arguments.of("random words", soup(new Random(3), 400)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("shapes")
  void timeIsLinearInTheSize(String name, String unit) {
    var small = unit.repeat(50_000 / unit.length() + 1);
    var large = unit.repeat(800_000 / unit.length() + 1);
    for (var message : new boolean[] {false, true}) {
      cpu(small, message);
      long before = cpu(small, message);
      long after = cpu(large, message);
      assertThat(after)
          .as("%s: 16 times the size took %d µs after %d µs", name, after / 1_000, before / 1_000)
          .isLessThan(400_000_000L + 160 * before);
    }
  }

  /** CPU time of this thread alone, so that a busy machine changes nothing. */
  private static long cpu(String text, boolean message) {
    var thread = ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadCpuTime();
    check(CLASSIFIER.classify(facts(null, message ? null : text, message ? text : null)));
    return thread.getCurrentThreadCpuTime() - before;
  }

  @Test
  void deepNestingOverflowsNoStack() throws InterruptedException {
    var failures = new ArrayList<Throwable>();
    var small =
        new Thread(
            null,
            () -> {
              for (var unit :
                  List.of("{\"error\":", "[", "{\"details\":[", "{\\\"error\\\":\\\"")) {
                check(CLASSIFIER.classify(facts("openai", unit.repeat(200_000), null)));
              }
            },
            "small stack",
            256 * 1024);
    small.setUncaughtExceptionHandler((thread, thrown) -> failures.add(thrown));
    small.start();
    small.join();
    assertThat(failures).isEmpty();
  }

  @Test
  void echoedInputIsNotMatched() {
    var prompt = "the rate limit exceeded message, insufficient_quota, connection reset by peer";
    var body =
        "{\"error\":{\"message\":\"Something odd\",\"input\":\""
            + prompt
            + "\",\"failed_generation\":\""
            + prompt
            + "\"},\"messages\":[{\"content\":\""
            + prompt
            + "\"}]}";
    var verdict = CLASSIFIER.classify(facts(null, body, null));
    assertThat(verdict.rule()).isEqualTo("unknown");
    var quoted = "{\"error\":{\"message\":\"Something odd in '" + prompt + "'\"}}";
    assertThat(CLASSIFIER.classify(facts(null, quoted, null)).rule()).isEqualTo("unknown");
  }

  private static void check(Verdict verdict) {
    assertThat(verdict.rule()).isNotEmpty();
  }

  private static String soup(Random random, int tokens) {
    var out = new StringBuilder();
    for (int i = 0; i < tokens; i++) {
      out.append(TOKENS[random.nextInt(TOKENS.length)]);
    }
    return out.toString();
  }

  private static Facts facts(
      @Nullable String provider, @Nullable String body, @Nullable String message) {
    return new Facts(provider, Where.CLIENT, null, new Headers(Map.of()), body, message, null);
  }
}
