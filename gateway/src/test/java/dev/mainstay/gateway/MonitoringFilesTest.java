package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alert rules and the dashboard ask for metrics that the gateway has. */
class MonitoringFilesTest extends StoreTest {
  private static final Pattern NAME = Pattern.compile("mainstay_[a-z_]+");

  @Override
  void open(String more) {
    super.open(
        more
            + "prices: [ { model: one/gpt-4o, unit: input, price: 1 }, { model: one/gpt-4o, unit:"
            + " output, price: 1 } ]\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts.yml", "grafana.json"})
  void everyMetricThatIsAskedForIsServed(String file) throws Exception {
    var asked = new TreeSet<String>();
    var text = Files.readString(Path.of("../packaging/monitoring").resolve(file));
    for (var found = NAME.matcher(text); found.find(); ) {
      asked.add(found.group());
    }
    h.one.then(
        ScriptedProvider.error(503, "server_error", "", "down"),
        ScriptedProvider.json(
            200,
            "{\"id\":\"1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"gpt-4o\",\"choices\":"
                + "[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","
                + "\"content\":\"hello\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,"
                + "\"total_tokens\":7}}"));
    h.chat("one/gpt-4o");
    h.kept.next();
    var served = h.get("/metrics").body();
    assertThat(asked).isNotEmpty().allSatisfy(name -> assertThat(served).contains(name));
  }
}
