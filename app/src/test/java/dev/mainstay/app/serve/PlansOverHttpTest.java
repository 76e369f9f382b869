package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plans as a client sends them. */
@Timeout(180)
class PlansOverHttpTest {
  @TempDir Path directory;

  private static String body(String plan) {
    return "{\"agent\": \"refunds\", \"plan\": " + plan.replace('\'', '"') + "}";
  }

  @Test
  void aPlanIsCarriedOutOrRefusedWithThePathOfItsMistake() throws Exception {
    var server = new RunsServer(directory, "");
    try {
      var accepted =
          server.post(
              "/api/runs",
              body(
                  "[{'id':'b','tool':'refund','arguments':{'order':{'$from':'a','pointer':'/refunded'}}},"
                      + "{'id':'a','tool':'refund','arguments':{'order':'7'}}]"));
      assertThat(accepted.status()).isEqualTo(202);
      var run = accepted.json().path("run").asString();
      var done = server.await(run, "completed");
      assertThat(done.path("output").propertyNames()).containsExactlyInAnyOrder("a", "b");
      assertThat(done.path("reason").asString()).startsWith("answered: ");
      assertThat(done.path("turns").asInt()).isZero();
      assertThat(server.effects).hasSize(2);

      var refused = server.post("/api/runs", body("[{'id':'a','tool':'refund','needs':['z']}]"));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.json().at("/error/code").asString()).isEqualTo("invalid_plan");
      assertThat(refused.json().at("/error/message").asString())
          .isEqualTo("plan[0].needs: there is no step \"z\"");
    } finally {
      server.close();
    }
  }
}
