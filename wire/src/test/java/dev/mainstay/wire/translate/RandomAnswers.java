package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes up answers, the same for the same seed. */
final class RandomAnswers {
  private static final List<String> WORDS =
      List.of(
          "The ",
          "answer ",
          "is\n",
          "\"quoted\"",
          "\\",
          "naïve ",
          "日本",
          "👩‍🚀",
          "\u2028",
          "\t",
          "{",
          "</s>",
          "\u0001",
          "data: ",
          "42",
          " ");

  private final Random random;

  RandomAnswers(long seed) {
    random = new Random(seed);
  }

  /** An answer with {@code choices} choices. */
  List<Delta> answer(int choices) {
    var deltas = new ArrayList<Delta>();
    deltas.add(new Delta.Start(chance(4) ? null : "id" + random.nextInt(1000), "model-1"));
    if (chance(2)) {
      deltas.add(new Delta.Used(new Usage(random.nextInt(50), 3, 0, 0, 0, false)));
    }
    var each = new ArrayList<List<Delta>>();
    for (int i = 0; i < choices; i++) {
      each.add(choice(i));
    }
    while (each.stream().anyMatch(list -> !list.isEmpty())) {
      var from = each.get(random.nextInt(choices));
      if (!from.isEmpty()) {
        deltas.add(from.removeFirst());
      }
    }
    deltas.add(
        new Delta.Used(
            new Usage(
                random.nextInt(500),
                random.nextInt(9),
                random.nextInt(9),
                random.nextInt(99),
                random.nextInt(9),
                false)));
    deltas.add(new Delta.End());
    return deltas;
  }

  private List<Delta> choice(int choice) {
    var deltas = new ArrayList<Delta>();
    for (int i = random.nextInt(3); i > 0; i--) {
      pieces(() -> new Delta.Reasoning(choice, text()), deltas);
      if (chance(2)) {
        deltas.add(seal(choice, false));
      }
    }
    if (chance(8)) {
      pieces(() -> new Delta.Refusal(choice, text()), deltas);
    } else {
      for (int i = random.nextInt(3); i > 0; i--) {
        content(choice, deltas);
      }
    }
    int calls = chance(2) ? 0 : random.nextInt(4);
    calls(choice, calls, deltas);
    deltas.add(finished(choice, calls));
    return deltas;
  }

  private void content(int choice, List<Delta> deltas) {
    pieces(() -> new Delta.Text(choice, text()), deltas);
    switch (random.nextInt(6)) {
      case 0 -> deltas.add(citation(choice));
      case 1 -> deltas.add(new Delta.Logprobs(choice, logprobs()));
      case 2 -> deltas.add(new Delta.Media(choice, "image/png", "iVBORw0KGgo="));
      case 3 -> {
        var own = own(choice);
        // A message of Chat has room for one sound.
        if (own.of() != Dialect.OPENAI_CHAT || !deltas.contains(own)) {
          deltas.add(own);
        }
      }
      default -> {}
    }
  }

  private void pieces(Supplier<Delta> piece, List<Delta> to) {
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      to.add(piece.get());
    }
  }

  private void calls(int choice, int calls, List<Delta> deltas) {
    var each = new ArrayList<List<Delta>>();
    for (int i = 0; i < calls; i++) {
      each.add(call(choice, i));
    }
    // Calls begin in their order; the pieces of their arguments may mix.
    boolean mixed = chance(3);
    int begun = 0;
    while (true) {
      var ready = new ArrayList<List<Delta>>();
      for (int i = 0; i < begun; i++) {
        if (!each.get(i).isEmpty()) {
          ready.add(each.get(i));
        }
      }
      if (begun < calls && (ready.isEmpty() || (mixed && chance(2)))) {
        deltas.add(each.get(begun++).removeFirst());
      } else if (ready.isEmpty()) {
        return;
      } else {
        deltas.add(ready.get(random.nextInt(ready.size())).removeFirst());
      }
    }
  }

  private List<Delta> call(int choice, int number) {
    var deltas = new ArrayList<Delta>();
    var seal = chance(3) ? seal(choice, true) : null;
    boolean custom = chance(4);
    deltas.add(
        new Delta.ToolCall(choice, number, callId(), "tool_" + random.nextInt(9), seal, custom));
    if (custom || !chance(6)) {
      var arguments =
          Tree.write(
              custom
                  ? Tree.object().put("input", text() + "\\\"\n]}" + text())
                  : Tree.object()
                      .put("q", text())
                      .put("n", random.nextInt())
                      .set("in", Tree.array().add("]}").add(1)));
      for (int at = 0; at < arguments.length(); ) {
        int end = Math.min(arguments.length(), at + 1 + random.nextInt(20));
        if (Character.isHighSurrogate(arguments.charAt(end - 1))) {
          end++;
        }
        deltas.add(new Delta.Arguments(choice, number, arguments.substring(at, end)));
        at = end;
      }
    }
    return deltas;
  }

  private @Nullable String callId() {
    return switch (random.nextInt(6)) {
      case 0 -> null;
      case 1 -> "functions.f:" + random.nextInt(99);
      case 2 -> "chatcmpl-tool-" + "0123456789abcdef".repeat(3) + random.nextInt(99);
      case 3 -> "abcDEF%03d".formatted(random.nextInt(999));
      default -> "call_" + random.nextInt(1 << 30);
    };
  }

  private Delta.ReasoningSeal seal(int choice, boolean ofCall) {
    var value = "c2VhbA" + random.nextInt(99);
    var of =
        ofCall
            ? Dialect.GEMINI
            : List.of(
                    Dialect.ANTHROPIC,
                    Dialect.GEMINI,
                    Dialect.OPENAI_RESPONSES,
                    Dialect.OPENAI_CHAT)
                .get(random.nextInt(4));
    var text = Tree.array().add(value).get(0);
    return new Delta.ReasoningSeal(
        choice,
        of,
        of == Dialect.OPENAI_CHAT
            ? Tree.object().put("type", "reasoning.encrypted").put("data", value)
            : text);
  }

  private Delta.Citation citation(int choice) {
    var url = "https://example.org/" + random.nextInt(99);
    return switch (random.nextInt(4)) {
      case 0 ->
          new Delta.Citation(
              choice,
              Dialect.OPENAI_CHAT,
              Tree.object().put("type", "url_citation").set("url_citation", annotation(url)));
      case 1 ->
          new Delta.Citation(
              choice, Dialect.OPENAI_RESPONSES, annotation(url).put("type", "url_citation"));
      case 2 ->
          new Delta.Citation(
              choice, Dialect.GEMINI, Tree.object().put("uri", url).put("title", "T"));
      default ->
          new Delta.Citation(
              choice,
              Dialect.ANTHROPIC,
              Tree.object()
                  .put("type", "web_search_result_location")
                  .put("url", url)
                  .put("title", "T")
                  .put("cited_text", "…")
                  .put("encrypted_index", "x"));
    };
  }

  private static ObjectNode annotation(String url) {
    return Tree.object()
        .put("start_index", 0)
        .put("end_index", 5)
        .put("title", "T")
        .put("url", url);
  }

  private static JsonNode logprobs() {
    var list = Tree.array();
    var entry = list.addObject().put("token", "The").put("logprob", -0.25);
    entry.putArray("bytes").add(84).add(104).add(101);
    var other = entry.putArray("top_logprobs").addObject().put("token", "A");
    other.put("logprob", -1.5).putArray("bytes").add(65);
    return Tree.read(Tree.write(list));
  }

  private Delta.Native own(int choice) {
    return switch (random.nextInt(4)) {
      case 0 ->
          new Delta.Native(
              choice,
              Dialect.ANTHROPIC,
              Tree.object()
                  .put("type", "server_tool_use")
                  .put("id", "srvtoolu_1")
                  .put("name", "web_search")
                  .set("input", Tree.object().put("query", text())));
      case 1 ->
          new Delta.Native(
              choice,
              Dialect.GEMINI,
              Tree.object()
                  .set("executableCode", Tree.object().put("language", "PYTHON").put("code", "1")));
      case 2 ->
          new Delta.Native(
              choice,
              Dialect.OPENAI_RESPONSES,
              Tree.object()
                  .put("id", "ws_1")
                  .put("type", "web_search_call")
                  .put("status", "completed"));
      default ->
          new Delta.Native(
              choice,
              Dialect.OPENAI_CHAT,
              Tree.object().set("audio", Tree.object().put("id", "a1").put("data", "AAAA")));
    };
  }

  private Delta.Finished finished(int choice, int calls) {
    if (calls > 0) {
      return new Delta.Finished(choice, Ending.TOOL_CALLS, "?", null);
    }
    var ending = Ending.values()[random.nextInt(Ending.values().length)];
    return switch (ending) {
      case TOOL_CALLS -> new Delta.Finished(choice, Ending.STOP, "?", null);
      case STOP_SEQUENCE -> new Delta.Finished(choice, ending, "?", "END");
      default -> new Delta.Finished(choice, ending, "?", null);
    };
  }

  private String text() {
    var out = new StringBuilder();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      out.append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return out.toString();
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }
}
