package dev.mainstay.agent.mcp;

import dev.mainstay.wire.json.Tree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An MCP server, as a program of its own; each of its tools misbehaves in its own way. */
public final class HostileMcpServer {
  private HostileMcpServer() {}

  public static void main(String[] arguments) throws Exception {
    var out =
        new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, "UTF-8");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      var request = Tree.read(line);
      if (request.path("method").asString("").equals("tools/call")) {
        misbehave(request, out);
      }
      var answer = answer(request);
      if (answer != null) {
        out.println(Tree.write(answer));
      }
    }
  }

  private static void misbehave(JsonNode request, PrintStream out)
      throws InterruptedException, IOException {
    switch (request.path("params").path("name").asString("")) {
      case "die" -> Runtime.getRuntime().halt(7);
      case "hang" -> new CountDownLatch(1).await();
      case "nonsense" -> out.println("Traceback (most recent call last): sk-secret");
      case "flood" -> {
        byte[] much = "x".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
        while (!out.checkError()) {
          out.write(much);
        }
        Runtime.getRuntime().halt(1);
      }
      case "chatter" -> {
        var words = "y".repeat(10_000);
        for (int i = 0; i < 2000; i++) {
          System.err.print(words);
        }
        for (int i = 0; i < 100; i++) {
          out.println("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}");
          out.println("{\"jsonrpc\":\"2.0\",\"id\":\"other-" + i + "\",\"result\":{}}");
        }
      }
      default -> {}
    }
  }

  /** The answer to a request; null for a notification. */
  static @Nullable ObjectNode answer(JsonNode request) {
    if (!request.has("id")) {
      return null;
    }
    var answer = Tree.object().put("jsonrpc", "2.0");
    answer.set("id", request.path("id"));
    switch (request.path("method").asString("")) {
      case "initialize" -> {
        var result = answer.putObject("result");
        result.put("protocolVersion", request.path("params").path("protocolVersion").asString(""));
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "hostile").put("version", "1");
      }
      case "ping" -> answer.putObject("result");
      case "tools/list" -> tools(answer.putObject("result").putArray("tools"));
      case "tools/call" -> call(request.path("params"), answer);
      default -> answer.putObject("error").put("code", -32601).put("message", "no such method");
    }
    return answer;
  }

  private static void tools(tools.jackson.databind.node.ArrayNode tools) {
    for (var name :
        new String[] {
          "echo",
          "fail",
          "refuse",
          "broken",
          "die",
          "hang",
          "nonsense",
          "flood",
          "chatter",
          "show",
          "a b"
        }) {
      var tool = tools.addObject().put("name", name).put("description", "Does " + name + ".");
      var schema = tool.putObject("inputSchema");
      schema.put("type", name.equals("echo") ? "object" : "objekt");
    }
  }

  private static void call(JsonNode parameters, ObjectNode answer) {
    switch (parameters.path("name").asString("")) {
      case "refuse" ->
          answer.putObject("error").put("code", -32602).put("message", "no such order");
      case "broken" -> answer.putObject("error").put("code", -32603).put("message", "sk-secret");
      case "show" -> {
        var content = answer.putObject("result").putArray("content");
        content.addObject().put("type", "text").put("text", "Two pictures:");
        content
            .addObject()
            .put("type", "image")
            .put("mimeType", "image/png")
            .put("data", "QUJDRA==");
        var resource = content.addObject().put("type", "resource").putObject("resource");
        resource.put("uri", "file:///a.txt").put("mimeType", "text/plain").put("text", "Words.");
        content
            .addObject()
            .put("type", "resource")
            .putObject("resource")
            .put("uri", "file:///a.bin")
            .put("mimeType", "application/zip")
            .put("blob", "QUJD");
      }
      default -> {
        var result = answer.putObject("result");
        result.put("isError", parameters.path("name").asString("").equals("fail"));
        var text =
            "pid %d key %s said %s"
                .formatted(
                    ProcessHandle.current().pid(),
                    parameters.path("_meta").path("mainstay/key").asString(""),
                    Tree.write(parameters.path("arguments")));
        result
            .putArray("content")
            .addObject()
            .put("type", "text")
            .put("text", text + " secret " + System.getenv("MAINSTAY_TEST_SECRET"));
      }
    }
  }
}
