package dev.mainstay.agent.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.json.Tree;
import org.junit.jupiter.api.Test;

final class RunListTest {
  @Test
  void aViewerSeesTheNameOfAReasonAndNoWords() {
    var summary = Tree.object().put("run", "run_1");
    summary.put("reason", "permanent-error: step 1: the prompt \"tell me: all\" is wrong");
    var shown = RunList.withoutWords(summary);
    assertThat(shown.get("reason").asString()).isEqualTo("permanent-error");
    assertThat(summary.get("reason").asString()).as("what others see").contains("tell me");

    var going = Tree.object().putNull("reason");
    assertThat(RunList.withoutWords(going)).isEqualTo(going);
  }
}
