package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.repair.TurnRepair.CheckedCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges and repairs the tool calls of a whole answer, in place. */
public final class AnswerRepair {
  private final ToolCallCheck check;
  private final Edits edits;
  private final List<CheckedCall> calls = new ArrayList<>();

  private AnswerRepair(byte[] body, ToolCallCheck check) {
    this.check = check;
    this.edits = new Edits(body);
  }

  /**
   * An answer after its calls were judged.
   *
   * @param body with the names and arguments that were repaired, every other byte as it was; the
   *     very array that was judged where nothing was repaired
   * @param calls in the order in which the model made them
   */
  @SuppressWarnings("ArrayRecordComponent") // bodies are not changed by anyone
  public record Whole(byte[] body, List<CheckedCall> calls) {
    public Whole {
      calls = List.copyOf(calls);
    }

    /** What was repaired. */
    public Set<CallRepair> made() {
      return TurnRepair.made(calls);
    }

    /** Why the answer cannot stand, a sentence for each bad call; empty where it can. */
    public List<String> bad() {
      return TurnRepair.bad(calls);
    }
  }

  /** Judges {@code body}, a whole answer of {@code dialect}; what is none has no calls. */
  public static Whole apply(Dialect dialect, byte[] body, ToolCallCheck check) {
    var answer = Located.object(body);
    if (answer == null) {
      return new Whole(body, List.of());
    }
    var repair = new AnswerRepair(body, check);
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> repair.chat(answer);
      case OPENAI_RESPONSES -> repair.responses(answer);
      case ANTHROPIC -> repair.anthropic(answer);
      case GEMINI -> repair.gemini(answer);
    }
    return new Whole(repair.edits.apply(), repair.calls);
  }

  private void chat(Located answer) {
    int choice = 0;
    for (var one : answer.list("choices")) {
      var message = one.get("message");
      if (message != null) {
        int call = 0;
        for (var made : message.list("tool_calls")) {
          var function = made.get("function");
          if (function != null) {
            call(choice, call++, function, "arguments", true);
          }
        }
        var old = message.get("function_call");
        if (old != null && old.isObject()) {
          call(choice, call, old, "arguments", true);
        }
      }
      choice++;
    }
  }

  private void responses(Located answer) {
    int call = 0;
    for (var item : answer.list("output")) {
      if (item.text("type").equals("function_call")) {
        call(0, call++, item, "arguments", true);
      }
    }
  }

  private void anthropic(Located answer) {
    int call = 0;
    for (var block : answer.list("content")) {
      if (block.text("type").equals("tool_use")) {
        call(0, call++, block, "input", false);
      }
    }
  }

  private void gemini(Located answer) {
    int choice = 0;
    for (var candidate : answer.list("candidates")) {
      var content = candidate.get("content");
      int call = 0;
      for (var part : content == null ? List.<Located>of() : content.list("parts")) {
        var made = part.get("functionCall", "function_call");
        if (made != null) {
          call(choice, call++, made, "args", false);
        }
      }
      choice++;
    }
  }

  private void call(int choice, int call, Located made, String field, boolean asText) {
    var name = made.get("name");
    if (name == null || !name.isString()) {
      return;
    }
    var arguments = made.get(field);
    boolean textual = arguments == null ? asText : asText && arguments.isString();
    var text = arguments == null ? "" : textual ? arguments.text() : arguments.json();
    var result = check.check(name.text(), text);
    calls.add(new CheckedCall(choice, call, name.text(), text, result));
    if (result instanceof Result.Repaired repaired) {
      if (repaired.made().contains(CallRepair.TOOL_NAME)) {
        edits.replace(name, Edits.quoted(repaired.name()));
      }
      if (repaired.made().contains(CallRepair.TOOL_ARGUMENTS)) {
        write(made, made.field(field), field, textual, repaired.arguments());
      }
    }
  }

  private void write(
      Located made, Located.@Nullable Field old, String field, boolean textual, String arguments) {
    var json = textual ? Edits.quoted(arguments) : arguments;
    if (old == null) {
      edits.addField(made, field, json);
    } else {
      edits.replace(old.value(), json);
    }
  }
}
