package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.Delta.Ending;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What an answer says, however it was cut into deltas, so that two can be compared. */
record Said(@Nullable String model, TreeMap<Integer, Said.Choice> choices, @Nullable Usage usage) {

  record Call(String id, String name, JsonNode arguments, @Nullable JsonNode seal) {}

  record Choice(
      String text,
      String refusal,
      String reasoning,
      List<Delta.ReasoningSeal> seals,
      List<Call> calls,
      List<String> links,
      List<JsonNode> logprobs,
      List<String> media,
      List<Delta.Native> own,
      @Nullable Ending ending,
      @Nullable String stopSequence) {
    Choice with(List<Call> otherCalls, List<String> otherLinks) {
      return new Choice(
          text,
          refusal,
          reasoning,
          seals,
          otherCalls,
          otherLinks,
          logprobs,
          media,
          own,
          ending,
          stopSequence);
    }
  }

  static Said of(List<Delta> deltas) {
    var gathered = GatheredDeltas.of(deltas);
    var choices = new TreeMap<Integer, Choice>();
    gathered.choices().forEach((number, choice) -> choices.put(number, choice(number, choice)));
    var start = gathered.start();
    return new Said(start == null ? null : start.model(), choices, gathered.usage());
  }

  private static Choice choice(int number, GatheredDeltas.Choice from) {
    var text = new StringBuilder();
    var refusal = new StringBuilder();
    var reasoning = new StringBuilder();
    var seals = new ArrayList<Delta.ReasoningSeal>();
    var calls = new ArrayList<Call>();
    var links = new ArrayList<String>();
    var logprobs = new ArrayList<JsonNode>();
    var media = new ArrayList<String>();
    var own = new ArrayList<Delta.Native>();
    for (var piece : from.pieces()) {
      switch (piece.delta()) {
        case Delta.Text t -> text.append(piece.text());
        case Delta.Refusal t -> refusal.append(piece.text());
        case Delta.Reasoning t -> reasoning.append(piece.text());
        case Delta.ReasoningSeal seal -> seals.add(withoutIndex(seal));
        case Delta.ToolCall call -> calls.add(call(call, piece.text().toString()));
        case Delta.Citation citation -> {
          var link = CitedLink.of(citation);
          links.add(link == null ? citation.value().toString() : link.url() + " " + link.title());
        }
        case Delta.Media image -> media.add(image.mimeType() + image.base64());
        case Delta.Native only -> {
          // It says what the citations say.
          if (!only.value().has("groundingMetadata")) {
            own.add(only);
          }
        }
        default -> throw new AssertionError(piece.delta());
      }
    }
    from.logprobs().forEach(more -> more.value().forEach(logprobs::add));
    var finished = from.finished();
    return new Choice(
        text.toString(),
        refusal.toString(),
        reasoning.toString(),
        seals,
        calls,
        links,
        logprobs,
        media,
        own,
        finished == null ? null : finished.ending(),
        finished == null ? null : finished.stopSequence());
  }

  private static Delta.ReasoningSeal withoutIndex(Delta.ReasoningSeal seal) {
    if (seal.value() instanceof ObjectNode node) {
      var copy = node.deepCopy();
      copy.remove("index");
      return new Delta.ReasoningSeal(seal.choice(), seal.of(), copy);
    }
    return seal;
  }

  private static Call call(Delta.ToolCall call, String arguments) {
    var id = call.id();
    var seal = call.seal();
    return new Call(
        id == null || ToolIds.invented(id) ? "*" : id,
        call.name(),
        Tree.read(arguments.isEmpty() ? "{}" : arguments),
        seal == null ? null : seal.value());
  }

  /** The same, but with any id for a call that {@code expected} has with any. */
  Said withAnyIdAs(Said expected) {
    var same = new TreeMap<Integer, Choice>();
    choices.forEach(
        (number, choice) -> {
          var calls = new ArrayList<Call>();
          var others = expected.choices.get(number);
          for (int i = 0; i < choice.calls.size(); i++) {
            var call = choice.calls.get(i);
            boolean any =
                others != null && i < others.calls.size() && others.calls.get(i).id.equals("*");
            calls.add(any ? new Call("*", call.name, call.arguments, call.seal) : call);
          }
          same.put(number, choice.with(calls, choice.links));
        });
    return new Said(model, same, usage);
  }

  Said withoutLinks() {
    var without = new TreeMap<Integer, Choice>();
    choices.forEach((number, choice) -> without.put(number, choice.with(choice.calls, List.of())));
    return new Said(model, without, usage);
  }

  /** As far as {@code dialect} can say it. */
  Said in(Dialect dialect) {
    var can = new TreeMap<Integer, Choice>();
    boolean many = dialect != Dialect.ANTHROPIC && dialect != Dialect.OPENAI_RESPONSES;
    choices.forEach(
        (number, choice) -> {
          if (many || number == 0) {
            can.put(number, in(dialect, choice));
          }
        });
    return new Said(model, can, usage == null ? null : usage(dialect, usage));
  }

  private static Usage usage(Dialect dialect, Usage usage) {
    // Only Anthropic's usage counts its own tools.
    var u = dialect == Dialect.ANTHROPIC ? usage : usage.with(ToolUses.NONE);
    return dialect == Dialect.GEMINI
        ? new Usage(
            u.input() + u.cacheWrite(), u.cachedInput(), 0, u.output(), u.reasoning(), false)
        : u;
  }

  private static Choice in(Dialect dialect, Choice c) {
    boolean openAi = dialect == Dialect.OPENAI_CHAT || dialect == Dialect.OPENAI_RESPONSES;
    var logprobs =
        dialect == Dialect.ANTHROPIC || dialect == Dialect.MISTRAL
            ? List.<JsonNode>of()
            : c.logprobs;
    boolean says = openAi || c.refusal.isEmpty();
    var ending = ending(dialect, c);
    return new Choice(
        says ? c.text : c.text + c.refusal,
        says ? c.refusal : "",
        c.reasoning,
        dialect == Dialect.MISTRAL ? List.of() : c.seals,
        c.calls.stream().map(call -> call(dialect, call)).toList(),
        dialect == Dialect.MISTRAL ? List.of() : c.links,
        logprobs,
        dialect == Dialect.ANTHROPIC ? List.of() : c.media,
        c.own.stream().filter(own -> own.of() == dialect).toList(),
        ending,
        ending == Ending.STOP_SEQUENCE ? c.stopSequence : null);
  }

  private static Call call(Dialect dialect, Call call) {
    var id = call.id.equals("*") ? "*" : ToolIds.fit(dialect, call.id);
    return new Call(id, call.name, call.arguments, dialect == Dialect.MISTRAL ? null : call.seal);
  }

  private static @Nullable Ending ending(Dialect dialect, Choice c) {
    if (c.ending == null) {
      return null;
    }
    var plain = c.calls.isEmpty() ? Ending.STOP : Ending.TOOL_CALLS;
    var can =
        switch (dialect) {
          case OPENAI_CHAT ->
              Set.of(
                  Ending.STOP,
                  Ending.STOP_SEQUENCE,
                  Ending.TOOL_CALLS,
                  Ending.LENGTH,
                  Ending.CONTENT_FILTER);
          case MISTRAL ->
              Set.of(
                  Ending.STOP,
                  Ending.TOOL_CALLS,
                  Ending.LENGTH,
                  Ending.CONTENT_FILTER,
                  Ending.CONTEXT);
          case ANTHROPIC ->
              Set.of(
                  Ending.STOP,
                  Ending.STOP_SEQUENCE,
                  Ending.TOOL_CALLS,
                  Ending.LENGTH,
                  Ending.CONTEXT,
                  Ending.REFUSAL,
                  Ending.PAUSE);
          case OPENAI_RESPONSES, GEMINI ->
              Set.of(Ending.STOP, Ending.TOOL_CALLS, Ending.LENGTH, Ending.CONTENT_FILTER);
        };
    if (can.contains(c.ending)) {
      boolean refusedInWords =
          dialect == Dialect.ANTHROPIC && c.ending == Ending.STOP && !c.refusal.isEmpty();
      return refusedInWords ? Ending.REFUSAL : c.ending;
    }
    return switch (c.ending) {
      case CONTEXT -> Ending.LENGTH;
      case REFUSAL, CONTENT_FILTER ->
          can.contains(Ending.CONTENT_FILTER)
              ? Ending.CONTENT_FILTER
              : can.contains(Ending.REFUSAL) ? Ending.REFUSAL : plain;
      case OTHER -> dialect == Dialect.ANTHROPIC && !c.refusal.isEmpty() ? Ending.REFUSAL : plain;
      default -> plain;
    };
  }
}
