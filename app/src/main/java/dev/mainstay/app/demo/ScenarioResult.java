package dev.mainstay.app.demo;

import dev.mainstay.ledger.CallReader.StoredCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One scenario played twice: through Mainstay, and directly.
 *
 * @param with what a client of Mainstay got
 * @param stored what is on record of it, or null where nothing is
 * @param without what a plain client got
 * @param upstreamWith requests that reached the providers for the first
 * @param upstreamWithout and for the second
 */
record ScenarioResult(
    Scenario scenario,
    Received with,
    @Nullable StoredCall stored,
    Received without,
    int upstreamWith,
    int upstreamWithout) {

  /** What is not as it should be, in words; empty where everything is. */
  List<String> wrong() {
    var wrong = new ArrayList<String>();
    var expected = scenario.expected();
    check(wrong, "ending", expected.ending(), with.ending());
    check(wrong, "status", expected.status(), with.status());
    if (stored == null) {
      wrong.add("the call is not on record");
    } else {
      var target = stored.call().target();
      check(wrong, "attempts on record", expected.attempts(), stored.attempts().size());
      check(wrong, "target on record", expected.target(), target == null ? "" : target);
      check(wrong, "requests at the providers", upstreamWith, stored.attempts().size());
    }
    return wrong;
  }

  private static void check(List<String> wrong, String what, Object expected, @Nullable Object is) {
    if (!expected.equals(is)) {
      wrong.add("%s: %s, not %s".formatted(what, is, expected));
    }
  }
}
