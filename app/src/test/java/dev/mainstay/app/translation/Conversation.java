package dev.mainstay.app.translation;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A conversation as a client may have it, from a seed, in no dialect: each client writes it in its
 * own ({@link Client}).
 */
record Conversation(List<Turn> turns, Settings settings) {

  /** What one side says. */
  sealed interface Turn {}

  record System(String text) implements Turn {}

  record User(List<Piece> pieces) implements Turn {}

  /**
   * @param thought reasoning before it, or null
   * @param text null where it only calls
   */
  record Assistant(@Nullable String thought, @Nullable String text, List<Call> calls)
      implements Turn {}

  /** The results of the calls before it, and what the user adds. */
  record Results(List<Result> results, @Nullable String more) implements Turn {}

  /** Something that a user says or shows. */
  sealed interface Piece {}

  record Text(String text) implements Piece {}

  record Image(byte[] png) implements Piece {}

  record Pdf(byte[] bytes) implements Piece {}

  record Call(String id, String name, String arguments) {}

  record Result(Call call, String text, boolean error) {}

  /** What is asked for beside an answer; null where not said. */
  record Settings(
      boolean stream,
      boolean tools,
      @Nullable String choice,
      @Nullable Integer maxTokens,
      @Nullable Double temperature,
      @Nullable Double topP,
      List<String> stops,
      @Nullable Integer seed,
      @Nullable Boolean parallel,
      @Nullable String effort,
      @Nullable String format) {}

  private static final List<String> WORDS =
      List.of(
          "Hello", "日本語 🎉", "{\"a\":1}", "line\nbreak", "a \"quote\"", " padded ", "x", "", "  ");
  private static final List<String> TOOLS = List.of("look", "get_weather");

  /** The names of the tools offered. */
  static List<String> tools() {
    return TOOLS;
  }

  static Conversation of(long seed) {
    return new Generator(new Random(seed)).next();
  }

  private static final class Generator {
    private final Random random;
    private int calls;

    Generator(Random random) {
      this.random = random;
    }

    private boolean chance(int percent) {
      return random.nextInt(100) < percent;
    }

    private <T> T any(List<T> some) {
      return some.get(random.nextInt(some.size()));
    }

    Conversation next() {
      boolean tools = chance(60);
      var turns = new ArrayList<Turn>();
      if (chance(50)) {
        turns.add(new System("Speak " + any(WORDS).strip()));
      }
      if (chance(6)) {
        turns.add(new Assistant(null, "Ask me.", List.of()));
      }
      int rounds = 1 + random.nextInt(3);
      for (int i = 0; i < rounds; i++) {
        turns.add(user());
        if (chance(10)) {
          turns.add(user());
        }
        if (chance(8)) {
          turns.add(new System("Be brief."));
        }
        if (i + 1 < rounds) {
          answer(turns, tools);
        }
      }
      if (tools && chance(50)) {
        // The latest turn goes on from results.
        calls(turns, false);
      } else if (!tools && chance(20)) {
        // The answer has been begun.
        turns.add(
            new Assistant(null, any(List.of("Well, ", "The answer is", "- one\n")), List.of()));
      } else if (chance(4)) {
        turns.removeIf(turn -> !(turn instanceof System));
        turns.add(new System("Say something."));
      }
      return new Conversation(turns, settings(tools));
    }

    private void answer(List<Turn> turns, boolean tools) {
      if (tools && chance(60)) {
        int steps = 1 + random.nextInt(2);
        for (int i = 0; i < steps; i++) {
          calls(turns, i == steps - 1 && chance(30));
        }
        if (!(turns.getLast() instanceof Results results) || results.more() == null) {
          turns.add(new Assistant(thought(), any(WORDS), List.of()));
        }
      } else {
        turns.add(new Assistant(thought(), any(WORDS), List.of()));
      }
    }

    private @Nullable String thought() {
      return chance(25) ? "Hm." : null;
    }

    private void calls(List<Turn> turns, boolean more) {
      var made = new ArrayList<Call>();
      var results = new ArrayList<Result>();
      int count = 1 + random.nextInt(3);
      for (int i = 0; i < count; i++) {
        made.add(new Call(id(), any(TOOLS), chance(70) ? "{\"place\":\"Oslo\"}" : "{}"));
      }
      for (var call : made) {
        results.add(
            new Result(call, any(List.of("17", "{\"t\":17}", "[1,2]", "", "null")), chance(15)));
      }
      turns.add(new Assistant(thought(), chance(40) ? "I look." : null, made));
      turns.add(new Results(results, more ? "And now?" : null));
    }

    /** As other providers gave them, before the conversation came here. */
    private String id() {
      int n = calls++;
      return switch (random.nextInt(4)) {
        case 0 -> "call_%024d".formatted(n);
        case 1 -> "toolu_%022d".formatted(n);
        case 2 -> "functions.look:" + n;
        default -> "abc%06d".formatted(n);
      };
    }

    private User user() {
      var pieces = new ArrayList<Piece>();
      pieces.add(new Text(any(WORDS)));
      if (chance(20)) {
        pieces.add(new Image(bytes()));
      }
      if (chance(10)) {
        pieces.add(new Pdf(bytes()));
      }
      if (chance(15)) {
        pieces.add(new Text("And?"));
      }
      return new User(pieces);
    }

    /** Their base64 has the characters in which the alphabets differ, and padding. */
    private byte[] bytes() {
      var bytes = new byte[10 + random.nextInt(3)];
      random.nextBytes(bytes);
      bytes[0] = (byte) 0xfb;
      bytes[1] = (byte) 0xff;
      bytes[2] = (byte) 0xfe;
      return bytes;
    }

    private Settings settings(boolean tools) {
      return new Settings(
          chance(50),
          tools,
          tools && chance(30) ? any(List.of("auto", "none", "required", "look")) : null,
          chance(50) ? any(List.of(1, 64, 2048, 9000)) : null,
          chance(30) ? any(List.of(0.0, 0.7, 1.0)) : null,
          chance(20) ? any(List.of(0.5, 1.0)) : null,
          chance(20) ? List.of("END", "\n\n") : List.of(),
          chance(15) ? 3 : null,
          tools && chance(15) ? chance(50) : null,
          chance(30)
              ? any(List.of("none", "minimal", "low", "medium", "high", "xhigh", "max"))
              : null,
          chance(15) ? any(List.of("json", "schema")) : null);
    }
  }

  static String standard(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** As Google's Python SDK writes it. */
  static String urlSafe(byte[] bytes) {
    return Base64.getUrlEncoder().encodeToString(bytes);
  }
}
