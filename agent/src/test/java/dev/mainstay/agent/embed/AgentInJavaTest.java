package dev.mainstay.agent.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Received;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.wire.json.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents as plain Java, as docs/agents.md shows them. */
class AgentInJavaTest {
  // snippet: tools
  record Receipt(String order, double paid) {}

  static class Shop {
    @ToolMethod(value = "Pays money back.", effect = Effect.IDEMPOTENT)
    Receipt refund(
        @Param(name = "order", value = "the order's number") String order,
        @Param(name = "amount") double amount,
        ToolCaller.Call call) {
      // call.key() is the same for every attempt: pass it on to what does the work.
      return new Receipt(order, amount);
    }
  }

  // end

  private static Config config(Simulator provider) throws Exception {
    return ConfigLoader.parse(
        """
        providers:
          one: { dialect: openai, base-url: "%s/one/v1", keys: [k] }
        models:
          assistant: { targets: [one/gpt-4o] }
        """
            .formatted(provider.url()),
        "test.yaml",
        Map.of());
  }

  private static Script script(String arguments, String... more) {
    return Script.parse(
        """
        models:
          one/gpt-4o:
            - openai-rate-limit
            - { answer: { tool-calls: [ { name: refund, arguments: '%s' } ] } }
            %s
        """
            .formatted(arguments, String.join("\n    ", more)));
  }

  @Test
  void aMethodIsAToolAndItsResultIsTold(@TempDir Path folder) throws Exception {
    try (var provider = Simulator.start()) {
      provider.script(
          script("{\"order\": \"7\", \"amount\": 12.5}", "- { answer: \"Refunded.\" }"));
      var config = config(provider);
      // snippet: run
      var agent =
          Agent.builder("refunds")
              .model("assistant")
              .instructions("You handle refunds.")
              .tools(new Shop())
              .build();
      try (var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
          var runner = AgentRunner.start(config, ledger, agent)) {
        var result = runner.run(agent, "Refund order 7.");
        // end
        assertThat(result.isCompleted()).isTrue();
        assertThat(result.text()).isEqualTo("Refunded.");
        var events = new ArrayList<JournalEntry>();
        assertThat(runner.await(result.run(), events::add)).isEqualTo(result);
        assertThat(events)
            .filteredOn(JournalEntry.StepEnded.class::isInstance)
            .map(entry -> ((JournalEntry.StepEnded) entry).result())
            .containsExactly("{\"order\":\"7\",\"paid\":12.5}");
      }
      var offered =
          Tree.read(provider.log().getLast().body()).path("tools").get(0).path("function");
      assertThat(Tree.write(offered.path("parameters")))
          .isEqualTo(
              "{\"type\":\"object\",\"properties\":{\"order\":{\"type\":\"string\",\"description\":"
                  + "\"the order's number\"},\"amount\":{\"type\":\"number\"}},\"required\":"
                  + "[\"order\",\"amount\"],\"additionalProperties\":false}");
    }
  }

  @Test
  void theAnswerNamesTheRefund(@TempDir Path folder) throws Exception {
    // snippet: test
    try (var provider = Simulator.start()) {
      provider.script(
          Script.parse(
              """
              models:
                gpt-4o:
                  - openai-rate-limit        # the first request fails; Mainstay asks again
                  - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7", "amount": 5}' } ] } }
                  - { answer: "5 paid back." }
              """));
      var config =
          ConfigLoader.parse(
              """
              providers:
                openai: { dialect: openai, base-url: "%s", keys: [any] }
              """
                  .formatted(provider.openAiUrl()),
              "test.yaml",
              Map.of());
      var agent = Agent.builder("refunds").model("openai/gpt-4o").tools(new Shop()).build();
      try (var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
          var runner = AgentRunner.start(config, ledger, agent)) {
        var results = new ArrayList<String>();
        var result =
            runner.run(
                agent,
                "Refund order 7.",
                entry -> {
                  if (entry instanceof JournalEntry.StepEnded step) {
                    results.add(step.result());
                  }
                });
        assertThat(result.text()).isEqualTo("5 paid back.");
        assertThat(results).containsExactly("{\"order\":\"7\",\"paid\":5.0}");
      }
      assertThat(provider.log()).extracting(Received::status).containsExactly(429, 200, 200);
    }
    // end
  }

  static final class Interrupted {
    final BlockingQueue<String> keys = new LinkedBlockingQueue<>();
    final CountDownLatch goOn = new CountDownLatch(1);

    @ToolMethod(value = "Pays money back.", effect = Effect.IDEMPOTENT)
    String refund(@Param(name = "order") String order, ToolCaller.Call call) throws Exception {
      keys.add(call.key());
      goOn.await();
      return "paid for " + order;
    }
  }

  @Test
  void aRunGoesOnInTheNextProcessWithTheSameKey(@TempDir Path folder) throws Exception {
    try (var provider = Simulator.start()) {
      provider.script(script("{\"order\": \"7\"}", "- { answer: \"Refunded.\" }"));
      var config = config(provider);
      var shop = new Interrupted();
      var agent = Agent.builder("refunds").model("assistant").tools(shop).build();
      String run;
      String first;
      try (var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
          var runner = AgentRunner.start(config, ledger, agent)) {
        run = runner.submit(agent, "Refund order 7.", "key-1");
        assertThat(runner.submit(agent, "Refund order 7.", "key-1")).isEqualTo(run);
        assertThatThrownBy(() -> runner.submit(agent, "Refund order 8.", "key-1"))
            .isInstanceOf(IllegalStateException.class);
        first = shop.keys.take();
      }
      shop.goOn.countDown();
      try (var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
          var runner = AgentRunner.start(config, ledger, agent)) {
        assertThat(runner.await(run).text()).isEqualTo("Refunded.");
      }
      assertThat(shop.keys).containsExactly(first);
    }
  }

  record Line(@Param("the article") String article, int count) {}

  enum Size {
    SMALL,
    LARGE
  }

  static final class Types {
    @ToolMethod("Orders.")
    void order(
        @Param(name = "lines") List<Line> lines,
        @Param(name = "size", required = false) Size size,
        @Param(name = "notes", required = false) Map<String, Boolean> notes) {}
  }

  static final class Unusable {
    @ToolMethod("Waits.")
    void wait(@Param(name = "thread") Thread thread) {}
  }

  @Test
  void typesBecomeASchema() {
    var definition = MethodTool.of(new Types()).getFirst().definition("x");
    assertThat(definition.effect()).isEqualTo(Effect.UNSAFE);
    assertThat(definition.parameters())
        .isEqualTo(
            Tree.read(
                """
                {"type":"object","properties":{
                  "lines":{"type":"array","items":{"type":"object","properties":{
                      "article":{"type":"string","description":"the article"},
                      "count":{"type":"integer"}},
                    "required":["article","count"],"additionalProperties":false}},
                  "size":{"type":"string","enum":["SMALL","LARGE"]},
                  "notes":{"type":"object","additionalProperties":{"type":"boolean"}}},
                "required":["lines"],"additionalProperties":false}
                """));
    assertThatThrownBy(() -> MethodTool.of(new Unusable()).getFirst().definition("x"))
        .hasMessageContaining("java.lang.Thread is no type for a tool's parameter");
    assertThatThrownBy(() -> Agent.builder("a").tools("text"))
        .hasMessage("java.lang.String has no method with @ToolMethod");
  }

  @Test
  void thePageShowsWhatIsCompiledHere() throws Exception {
    var folder = Files.exists(Path.of("docs")) ? Path.of("") : Path.of("..");
    var page = Files.readString(folder.resolve("docs/agents.md"));
    var source =
        Files.readString(
            folder.resolve("agent/src/test/java/dev/mainstay/agent/embed/AgentInJavaTest.java"));
    for (var name : List.of("tools", "run", "test")) {
      int at = source.indexOf("// snippet: " + name + "\n");
      var lines = source.substring(source.indexOf('\n', at) + 1, source.indexOf("// end", at));
      assertThat(page).contains(lines.stripTrailing().stripIndent().strip());
    }
  }
}
