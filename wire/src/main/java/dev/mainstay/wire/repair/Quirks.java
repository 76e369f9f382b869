package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.Set;

/** Changes requests for what is known of a target. */
final class Quirks {
  private Quirks() {}

  /** {@code body} as {@code quirk} asks for; the very array where it has nothing to change. */
  static byte[] apply(Quirk quirk, Dialect dialect, byte[] body) {
    var request = LocatedValue.object(body);
    if (request == null) {
      return body;
    }
    var edits = new BodyEdits(body);
    switch (quirk) {
      case Quirk.Drops(String path) -> new Parameters(dialect, request).drop(path, edits);
      case Quirk.Renames(String from, String to) -> {
        var field = request.field(from);
        if (field != null && request.field(to) == null) {
          edits.rename(field, to);
        }
      }
      case Quirk.NoDeveloper() -> {
        for (var message : request.list("messages", "input")) {
          var role = message.get("role");
          if (role != null && role.text().equals("developer")) {
            edits.replace(role, "\"system\"");
          }
        }
      }
      case Quirk.SchemaKeywords(Set<String> names) ->
          SchemaRepair.remove(dialect, request, names, edits);
      case Quirk.MaxTokens(long limit) -> MaxTokensRepair.set(dialect, request, limit, edits);
    }
    return edits.apply();
  }
}
