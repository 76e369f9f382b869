package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.repair.ToolCallCheck.Call;
import dev.mainstay.wire.repair.ToolCallCheck.Result;
import dev.mainstay.wire.repair.TurnRepair.CheckedCall;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.ToolIds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges and repairs the tool calls of a whole answer, in place. */
public final class AnswerRepair {
  private static final byte[] ARGUMENTS = "\"arguments\"".getBytes(StandardCharsets.UTF_8);

  private final Dialect dialect;
  private final ToolCallCheck check;
  private final byte[] body;
  private final BodyEdits edits;
  private final List<CheckedCall> calls = new ArrayList<>();

  private AnswerRepair(Dialect dialect, byte[] body, ToolCallCheck check) {
    this.dialect = dialect;
    this.check = check;
    this.body = body;
    this.edits = new BodyEdits(body);
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
    var answer = LocatedValue.object(body);
    if (answer == null) {
      return new Whole(body, List.of());
    }
    var repair = new AnswerRepair(dialect, body, check);
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> repair.chat(answer);
      case OPENAI_RESPONSES -> repair.responses(answer);
      case ANTHROPIC -> repair.anthropic(answer);
      case GEMINI -> repair.gemini(answer);
    }
    return new Whole(repair.edits.apply(), repair.calls);
  }

  /**
   * Whether {@code body}, an answer or a stream's events, may hold arguments as an object where the
   * dialect has a text: OpenAI's SDKs read nothing else. Mistral's clients take both.
   */
  public static boolean mayHoldObjectArguments(Dialect dialect, byte[] body) {
    if (!argumentsAreText(dialect)) {
      return false;
    }
    // Within a text the quotes would be escaped.
    for (int at = 0; at <= body.length - ARGUMENTS.length; at++) {
      int after = at + ARGUMENTS.length;
      if (body[at] == '"' && Arrays.equals(body, at, after, ARGUMENTS, 0, ARGUMENTS.length)) {
        while (after < body.length && (body[after] == ':' || body[after] <= ' ')) {
          after++;
        }
        if (after < body.length && body[after] == '{') {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean argumentsAreText(Dialect dialect) {
    return dialect == Dialect.OPENAI_CHAT || dialect == Dialect.OPENAI_RESPONSES;
  }

  private void chat(LocatedValue answer) {
    int choice = 0;
    for (var one : answer.list("choices")) {
      var message = one.get("message");
      if (message != null) {
        int call = 0;
        for (var made : message.list("tool_calls")) {
          var function = made.get("function");
          var custom = made.get("custom");
          if (function != null) {
            call(choice, call++, made, function, "arguments", true);
          } else if (custom != null) {
            custom(choice, call++, custom);
          }
        }
        var old = message.get("function_call");
        if (old != null && old.isObject()) {
          call(choice, call, null, old, "arguments", true);
        }
      }
      choice++;
    }
  }

  private void responses(LocatedValue answer) {
    int call = 0;
    for (var item : answer.list("output")) {
      switch (item.text("type")) {
        case "function_call" -> call(0, call++, item, item, "arguments", true);
        case "custom_tool_call" -> custom(0, call++, item);
        default -> {}
      }
    }
  }

  private void anthropic(LocatedValue answer) {
    int call = 0;
    for (var block : answer.list("content")) {
      if (block.text("type").equals("tool_use")) {
        call(0, call++, block, block, "input", false);
      }
    }
  }

  private void gemini(LocatedValue answer) {
    int choice = 0;
    for (var candidate : answer.list("candidates")) {
      var content = candidate.get("content");
      int call = 0;
      for (var part : content == null ? List.<LocatedValue>of() : content.list("parts")) {
        var made = part.get("functionCall", "function_call");
        if (made != null) {
          call(choice, call++, part, made, "args", false);
        }
      }
      choice++;
    }
  }

  /**
   * @param element what holds the call in the list of its kind, or null where there is no list
   * @param field of the arguments in {@code made}
   */
  private void call(
      int choice,
      int call,
      @Nullable LocatedValue element,
      LocatedValue made,
      String field,
      boolean asText) {
    var name = made.get("name");
    if (name == null || !name.isString()) {
      return;
    }
    var arguments = made.get(field);
    boolean object = arguments != null && arguments.isObject();
    boolean toText =
        object && argumentsAreText(dialect) && check.repairs(CallRepair.TOOL_ARGUMENTS);
    boolean textual = arguments == null ? asText : asText && (toText || arguments.isString());
    var text = arguments == null ? "" : object || !textual ? arguments.json() : arguments.text();
    var result = check.check(name.text(), text);
    calls.add(new CheckedCall(choice, call, name.text(), text, result));
    switch (result) {
      case Result.Repaired to -> {
        if (to.made().contains(CallRepair.TOOL_NAME)) {
          edits.replace(name, BodyEdits.quoted(to.name()));
        }
        if (toText || to.made().contains(CallRepair.TOOL_ARGUMENTS)) {
          write(edits, made, field, textual, to.arguments());
        }
      }
      case Result.Unfolded unfolded when element != null -> {
        var each = new ArrayList<String>();
        for (int i = 0; i < unfolded.calls().size(); i++) {
          each.add(unfolded(element, made, name, field, textual, unfolded.calls(), i));
        }
        edits.replace(element, String.join(",", each));
      }
      case Result.Good _ when toText -> write(edits, made, field, true, text);
      case Result.Unfolded _, Result.Good _, Result.Bad _ -> {}
    }
  }

  /** {@code element} with the {@code i}-th of the calls that were in it. */
  private String unfolded(
      LocatedValue element,
      LocatedValue made,
      LocatedValue name,
      String field,
      boolean textual,
      List<Call> to,
      int i) {
    var own = new BodyEdits(body);
    own.replace(name, BodyEdits.quoted(to.get(i).name()));
    write(own, made, field, textual, to.get(i).arguments());
    if (to.size() > 1) {
      for (var holder : new LinkedHashSet<>(List.of(element, made))) {
        for (var id : List.of("id", "call_id")) {
          if (holder.get(id) instanceof LocatedValue said && said.isString()) {
            var derived = TurnRepair.unfoldedId(said.text(), i);
            own.replace(said, BodyEdits.quoted(ToolIds.fit(check.offered().dialect(), derived)));
          }
        }
      }
    }
    return new String(own.within(element), StandardCharsets.UTF_8);
  }

  /** Its input is any text, so there is nothing but its name to judge. */
  private void custom(int choice, int call, LocatedValue made) {
    var name = made.get("name");
    if (name == null || !name.isString()) {
      return;
    }
    var arguments = CustomInput.begin(made.text("input")) + CustomInput.END;
    var result = check.check(name.text(), arguments);
    calls.add(new CheckedCall(choice, call, name.text(), arguments, result));
    if (result instanceof Result.Repaired repaired) {
      edits.replace(name, BodyEdits.quoted(repaired.name()));
    }
  }

  private static void write(
      BodyEdits edits, LocatedValue made, String field, boolean textual, String arguments) {
    var old = made.field(field);
    var json = textual ? BodyEdits.quoted(arguments) : arguments;
    if (old == null) {
      edits.addField(made, field, json);
    } else {
      edits.replace(old.value(), json);
    }
  }
}
