package dev.mainstay.agent.api;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Lists of one run, such as its steps, the first row first, in pages. */
final class RunPages {
  private static final int MOST = 10_000;

  /** What its parameters are. */
  static final String LIMIT = "rows per page, 1 to 10000; default 1000";

  static final String CURSOR = "next of the previous page";

  private RunPages() {}

  /**
   * @param list its name in the answer
   * @param rows all that the run has so far; later ones join at the end, so that a cursor holds
   */
  static Reply page(String run, String list, List<? extends JsonNode> rows, String query) {
    var parameters = Decoded.parameters(query);
    var cursor = RunQuery.parameter(parameters, "cursor");
    int from = cursor == null ? 0 : Math.min(place(run, list, cursor), rows.size());
    int to = Math.min(from + RunQuery.limit(parameters, 1000, MOST), rows.size());
    var json = Tree.object().put("run", run);
    var array = json.putArray(list);
    rows.subList(from, to).forEach(array::add);
    json.put("next", to == rows.size() ? null : cursor(run, list, to));
    return new Reply(200, json);
  }

  private static String cursor(String run, String list, int place) {
    var text = place + " " + list + " " + run;
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static int place(String run, String list, String cursor) {
    try {
      var parts =
          new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split(" ", 3);
      if (parts.length == 3 && parts[1].equals(list) && parts[2].equals(run)) {
        return Math.max(0, Integer.parseInt(parts[0]));
      }
    } catch (IllegalArgumentException e) {
      // As one of another run.
    }
    throw new Refused(
        400, "invalid_request", "not a cursor of this run's %s: %s".formatted(list, cursor));
  }
}
