package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.simulator.Script;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.json.JsonMapper;

/** What the README, the pages under docs/ and the examples show is what works. */
final class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```");
  private static final Pattern INLINE = Pattern.compile("`(\\./mainstay [^`]+)`");
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|'[^']*'|\\S+");
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

  /** What a page takes for granted before its snippets. */
  private static final String OWN_CLIENTS =
      """
      interface Chunk { boolean hasContent(); String finishReason(); }
      static class OpenAiClient implements AutoCloseable {
        OpenAiClient(String key) {}
        String chat(String prompt) { return prompt; }
        java.util.stream.Stream<Chunk> stream(String prompt) { return java.util.stream.Stream.of(); }
        java.util.concurrent.CompletableFuture<String> later(String prompt) {
          return java.util.concurrent.CompletableFuture.completedFuture(prompt);
        }
        @Override public void close() {}
      }
      OpenAiClient openai = new OpenAiClient("");
      OpenAiClient anthropic = openai;
      String prompt = "";
      dev.mainstay.library.Mainstay mainstay = dev.mainstay.library.Mainstay.fromEnvironment();
      String key() { return ""; }
      void show(Chunk chunk) {}
      """;

  private static final String OWN_AGENT =
      """
      static class Shop {}
      dev.mainstay.config.Config config;
      java.nio.file.Path folder;
      """;

  /** What a part of an agent's settings stands in. */
  private static final String AN_AGENT =
      """
      agents:
        researcher: { model: assistant, instructions: "You look things up." }
        example:
          model: assistant
          instructions: "You help."
      """;

  private record Snippet(String page, int line, String language, String text) {
    Named<Snippet> named() {
      return Named.of(page + ":" + line, this);
    }
  }

  private static List<Path> pages() {
    try (var docs = Files.walk(ROOT.resolve("docs"));
        var examples = Files.walk(ROOT.resolve("examples"))) {
      var all = new ArrayList<Path>(List.of(ROOT.resolve("README.md")));
      Stream.concat(docs, examples)
          .filter(page -> page.toString().endsWith(".md"))
          .filter(page -> !page.toString().contains("node_modules"))
          .sorted()
          .forEach(all::add);
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Snippet> snippets() {
    return pages().stream()
        .flatMap(
            page -> {
              var text = read(page);
              return BLOCK
                  .matcher(text)
                  .results()
                  .map(
                      block ->
                          new Snippet(
                              ROOT.relativize(page).toString(),
                              1 + (int) text.substring(0, block.start()).lines().count(),
                              block.group(1),
                              block.group(2)));
            });
  }

  static Stream<Named<Snippet>> of(String language) {
    return snippets().filter(one -> one.language().equals(language)).map(Snippet::named);
  }

  static Stream<Named<Snippet>> java() {
    return of("java");
  }

  static Stream<Named<Snippet>> yaml() {
    // A value that a command makes is left out of a page.
    return of("yaml").filter(named -> !named.getPayload().text().contains("…\""));
  }

  static Stream<Named<Snippet>> json() {
    return of("json").filter(named -> !named.getPayload().text().contains("…}"));
  }

  @ParameterizedTest
  @MethodSource("java")
  void everyJavaSnippetCompiles(Snippet snippet, @TempDir Path folder) {
    var imports = new StringBuilder();
    var body = new StringBuilder();
    snippet
        .text()
        .lines()
        .forEach(line -> (line.startsWith("import ") ? imports : body).append(line).append('\n'));
    boolean members = Pattern.compile("(?m)^(@|static class )").matcher(body).find();
    boolean whole = Pattern.compile("(?m)^(final )?class ").matcher(body).find();
    var source =
        whole
            ? imports + body.toString()
            : imports
                + "final class Snippet {\n"
                + given(snippet, members)
                + (members ? body : "void snippet() throws Exception {\n" + body + "}\n")
                + "}\n";
    var wrong = new StringWriter();
    var file =
        new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignored) {
            return source;
          }
        };
    var compiler = ToolProvider.getSystemJavaCompiler();
    boolean compiled =
        compiler
            .getTask(
                wrong,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    folder.toString(),
                    "-cp",
                    System.getProperty("java.class.path", "")),
                null,
                List.of(file))
            .call();
    assertThat(compiled).as("%s%n%s", wrong, source).isTrue();
  }

  private static String given(Snippet snippet, boolean members) {
    if (snippet.page().endsWith("library.md")) {
      return OWN_CLIENTS;
    }
    return snippet.page().endsWith("agents.md") && !members ? OWN_AGENT : "";
  }

  /** A page shows a part of the file: what the part needs besides is put around it. */
  @ParameterizedTest
  @MethodSource("yaml")
  void everyYamlSnippetCanBeUsed(Snippet snippet) {
    var text = snippet.text();
    if (snippet.page().endsWith("simulator.md")) {
      Script.parse(text);
      return;
    }
    var file = new StringBuilder(text.startsWith("    ") ? AN_AGENT : "").append(text);
    if (!has(text, "providers")) {
      file.append(
          """
          providers:
            openai: { dialect: openai, base-url: "https://api.openai.com/v1", keys: [k] }
            anthropic: { dialect: anthropic, base-url: "https://api.anthropic.com", keys: [k] }
          """);
    }
    if (!has(text, "models")) {
      file.append("models: { assistant: { targets: [openai/gpt-4o] } }\n");
    }
    assertUsable(snippet.page(), file.toString());
  }

  private static boolean has(String yaml, String key) {
    return Pattern.compile("(?m)^" + key + ":").matcher(yaml).find();
  }

  private static Config assertUsable(String name, String yaml) {
    var environment = new HashMap<String, String>();
    Pattern.compile("\\$\\{([A-Z_0-9]+)}")
        .matcher(yaml)
        .results()
        .forEach(variable -> environment.put(variable.group(1), "value-of-" + variable.group(1)));
    try {
      return ConfigLoader.parse(yaml, name, environment);
    } catch (ConfigException e) {
      return fail(e.getMessage() + "\n" + yaml);
    }
  }

  @Test
  void everyExamplesConfigurationCanBeUsed() throws IOException {
    try (var files = Files.walk(ROOT.resolve("examples"), 2)) {
      var configs = files.filter(file -> file.endsWith("mainstay.yaml")).toList();
      assertThat(configs).hasSizeGreaterThan(1);
      configs.forEach(file -> assertUsable(file.toString(), read(file)));
    }
  }

  @ParameterizedTest
  @MethodSource("json")
  void everyJsonSnippetIsJson(Snippet snippet) {
    var json = JsonMapper.builder().build();
    try (var values = json.readerFor(Map.class).readValues(snippet.text())) {
      assertThat(values.readAll()).isNotEmpty();
    }
  }

  /** The commands of all pages and what stands behind them: each is one that there is. */
  @Test
  void everyCommandIsOneThatThereIs() {
    var wrong = new ArrayList<String>();
    var commands = commands().toList();
    assertThat(commands).hasSizeGreaterThan(20);
    for (var command : commands) {
      var words =
          WORD.matcher(command)
              .results()
              .map(word -> word.group().replaceAll("^['\"]|['\"]$", ""))
              .toArray(String[]::new);
      try {
        var out = new StringWriter();
        Commands.commandLine(out, out, words).parseArgs(words);
      } catch (ParameterException e) {
        wrong.add(command + ": " + e.getMessage());
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static Stream<String> commands() {
    var blocks =
        snippets()
            .filter(one -> one.language().equals("sh") || one.language().equals("console"))
            .flatMap(one -> one.text().lines());
    var inSentences =
        pages().stream()
            .flatMap(page -> INLINE.matcher(read(page)).results().map(found -> found.group(1)))
            .filter(command -> !command.contains("…"));
    return Stream.concat(blocks, inSentences)
        .flatMap(line -> Arrays.stream(line.split("\\s(&&|\\|)\\s")))
        .map(line -> line.strip().replaceFirst("^\\$ ", ""))
        .filter(line -> line.startsWith("./mainstay "))
        .map(line -> line.substring("./mainstay ".length()))
        .map(line -> line.replaceAll("\\s+#.*|\\s[<>&].*|\\s*&$", "").strip())
        .filter(line -> !line.contains("|") && !line.contains("…\""))
        .collect(Collectors.toCollection(java.util.LinkedHashSet::new))
        .stream();
  }

  @Test
  void everyRepairOfAClientsRequestIsExplained() {
    var page = read(ROOT.resolve("docs/failures.md"));
    for (var option : RepairOption.values()) {
      if (option.isForClients()) {
        assertThat(page).contains("\n| `" + option.configName() + "` | ");
      }
    }
  }

  @Test
  void everyLinkLeadsSomewhere() {
    var lost = new ArrayList<String>();
    for (var page : pages()) {
      LINK.matcher(read(page))
          .results()
          .map(link -> link.group(1))
          .filter(link -> !link.contains(":"))
          .filter(link -> !Files.exists(page.resolveSibling(link)))
          .forEach(link -> lost.add(ROOT.relativize(page) + " → " + link));
    }
    assertThat(lost).isEmpty();
  }
}
