package dev.mainstay.agent.api;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.wire.json.Tree;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** {@code GET /api/runs/{run}/steps}: the steps of a run, the first one first, in pages. */
final class StepList {
  private static final int MOST = 10_000;

  /** What its parameters are. */
  static final String LIMIT = "steps per page, 1 to 10000; default 1000";

  static final String CURSOR = "next of the previous page";

  private StepList() {}

  /**
   * @param steps all that the run has so far; later ones join at the end, so that a cursor holds
   */
  static Reply page(String run, List<RunStep> steps, String query) {
    var parameters = new QueryStringDecoder("?" + query).parameters();
    var cursor = RunQuery.parameter(parameters, "cursor");
    int from = cursor == null ? 0 : Math.min(place(run, cursor), steps.size());
    int to = Math.min(from + RunQuery.limit(parameters, 1000, MOST), steps.size());
    var json = Tree.object().put("run", run);
    var array = json.putArray("steps");
    steps.subList(from, to).forEach(step -> array.add(step.json()));
    json.put("next", to == steps.size() ? null : cursor(run, to));
    return new Reply(200, json);
  }

  private static String cursor(String run, int place) {
    var text = place + " " + run;
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static int place(String run, String cursor) {
    try {
      var parts =
          new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split(" ", 2);
      if (parts.length == 2 && parts[1].equals(run)) {
        return Math.max(0, Integer.parseInt(parts[0]));
      }
    } catch (IllegalArgumentException e) {
      // As one of another run.
    }
    throw new Refused(400, "invalid_request", "not a cursor of this run's steps: " + cursor);
  }
}
