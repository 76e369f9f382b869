package dev.mainstay.agent.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.engine.model.Message;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Holds for any transcript, however broken. */
class TranscriptRepairTest {
  private static final int TRANSCRIPTS = 1000;
  private static final String[] ARGUMENTS = {"{}", "{\"a\":1}", "{\"a\":", "[1]", "", "null", "nö"};

  private static RandomGenerator random(int seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  private static Message message(RandomGenerator random) {
    return switch (random.nextInt(5)) {
      case 0 -> Message.user("hello");
      case 1 -> Message.assistant("text");
      case 2, 3 -> Message.toolResult("id" + random.nextInt(4), "result");
      default -> calls(random, random.nextInt(4));
    };
  }

  private static Message calls(RandomGenerator random, int many) {
    var json = Tree.object().put("role", "assistant");
    json.putNull("content");
    var calls = json.putArray("tool_calls");
    for (int i = 0; i < many; i++) {
      var call = calls.addObject().put("id", "id" + random.nextInt(4)).put("type", "function");
      call.putObject("function")
          .put("name", "t")
          .put("arguments", ARGUMENTS[random.nextInt(ARGUMENTS.length)]);
    }
    return new Message(json);
  }

  private static List<Message> transcript(RandomGenerator random) {
    var all = new ArrayList<Message>();
    int many = random.nextInt(1, 12);
    for (int i = 0; i < many; i++) {
      all.add(message(random));
    }
    return all;
  }

  /** Exchanges in order: each call is answered, as a run's own journal has them. */
  private static List<Message> whole(RandomGenerator random) {
    var all = new ArrayList<Message>();
    int exchanges = random.nextInt(1, 6);
    for (int i = 0; i < exchanges; i++) {
      all.add(Message.user("say " + i));
      var calls = calls(random, 0);
      var list = (tools.jackson.databind.node.ArrayNode) calls.json().path("tool_calls");
      int many = random.nextInt(1, 4);
      for (int j = 0; j < many; j++) {
        var call = list.addObject().put("id", "c" + i + "_" + j).put("type", "function");
        call.putObject("function")
            .put("name", "t")
            .put("arguments", ARGUMENTS[random.nextInt(ARGUMENTS.length)]);
      }
      all.add(calls);
      for (int j = 0; j < many; j++) {
        all.add(Message.toolResult("c" + i + "_" + j, "r"));
      }
    }
    return all;
  }

  private static void pairs(List<Message> messages) {
    var open = new HashSet<String>();
    for (var message : messages) {
      if (message.role().equals("tool")) {
        assertThat(open.remove(message.toolCallId())).as("a result with its call").isTrue();
        continue;
      }
      assertThat(open).as("calls without a result").isEmpty();
      for (var call : message.toolCalls()) {
        assertThat(open.add(call.id())).as("an id once in a message").isTrue();
        assertThat(Tree.read(call.arguments()).isObject()).isTrue();
      }
    }
    assertThat(open).as("calls without a result").isEmpty();
  }

  @Test
  void everyCallIsAnsweredAndEveryResultHasItsCallAndTwiceChangesNothing() {
    for (int seed = 0; seed < TRANSCRIPTS; seed++) {
      var mended = TranscriptRepair.mend(transcript(random(seed)));
      pairs(mended);
      assertThat(TranscriptRepair.mend(mended)).as("seed %d", seed).isEqualTo(mended);
    }
  }

  @Test
  void whatWasSentStaysAPrefixOfWhatIsSentNext() {
    for (int seed = 0; seed < TRANSCRIPTS; seed++) {
      var transcript = whole(random(seed));
      var mended = TranscriptRepair.mend(transcript);
      for (int end = 1; end <= transcript.size(); end++) {
        if (end == transcript.size() || transcript.get(end).role().equals("user")) {
          assertThat(TranscriptRepair.mend(transcript.subList(0, end)))
              .as("seed %d", seed)
              .isEqualTo(mended.subList(0, end));
        }
      }
    }
  }

  @Test
  void compactionKeepsThePairsAndOnlyShrinks() {
    for (int seed = 0; seed < TRANSCRIPTS; seed++) {
      var transcript = TranscriptRepair.mend(whole(random(seed)));
      pairs(Compaction.shorten(transcript));
    }
  }
}
