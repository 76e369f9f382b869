package dev.mainstay.config;

import dev.mainstay.wire.Api;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Reads configurations. Stateless. */
public final class ConfigLoader {
  /** More than any configuration needs; bounds what a wrong file can cost. */
  private static final int MAX_BYTES = 4 << 20;

  private ConfigLoader() {}

  /**
   * Reads {@code file}.
   *
   * @param environment what placeholders are filled from
   * @throws ConfigException with every mistake in it
   */
  public static Config load(Path file, Map<String, String> environment) throws ConfigException {
    return read(
        text(bytes(file), file.toString()),
        file.toString(),
        file.toAbsolutePath().getParent(),
        environment);
  }

  /**
   * The content of {@code file}, whatever is in its place: a device or a pipe is not opened, since
   * reading one may never end, and no more is read than a configuration may have.
   *
   * @throws ConfigException where that is no configuration's file
   */
  public static byte[] bytes(Path file) throws ConfigException {
    var name = file.toString();
    try {
      if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
        throw failed(name, "a pipe or a device", "a regular file");
      }
      try (var in = Files.newInputStream(file)) {
        var bytes = in.readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
          throw failed(name, "a file of more than 4 MiB", "a configuration");
        }
        return bytes;
      }
    } catch (IOException e) {
      throw failed(name, UnreadableFile.what(file, e), "a file this process may read");
    }
  }

  private static String text(byte[] bytes, String name) throws ConfigException {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var in = ByteBuffer.wrap(bytes);
    // A byte is one character at most.
    var out = CharBuffer.allocate(bytes.length);
    var result = decoder.decode(in, out, true);
    out.flip();
    if (result.isError()) {
      throw failed(name, line(out), "bytes that are not UTF-8", "a text in UTF-8");
    }
    return out.toString();
  }

  /** The line, from 1, that {@code before} ends in. */
  private static int line(CharSequence before) {
    return 1 + (int) before.chars().filter(c -> c == '\n').count();
  }

  /** Reads {@code yaml}, which {@code name} names in messages. */
  public static Config parse(String yaml, String name, Map<String, String> environment)
      throws ConfigException {
    return read(yaml, name, null, environment);
  }

  /** The JSON Schema of the file, for editors: what {@link #load} takes, as far as one can say. */
  public static String schema() {
    return SchemaWriter.write();
  }

  private static Config read(
      String yaml, String name, @Nullable Path folder, Map<String, String> environment)
      throws ConfigException {
    var reading = new Reading(name, environment);
    var settings =
        LoadSettings.builder()
            .setLabel(name)
            .setAllowDuplicateKeys(true)
            // BoundedParser counts them, with what they stand for.
            .setMaxAliasesForCollections(Integer.MAX_VALUE)
            .setCodePointLimit(MAX_BYTES)
            // Read at once: where a buffer ends inside a character of two halves, it fails.
            .setBufferSize(Math.max(1024, yaml.length() + 1))
            .build();
    Config config;
    try {
      var parser = new ParserImpl(settings, new StreamReader(settings, yaml));
      var root = new Composer(settings, new BoundedParser(parser)).getSingleNode();
      config = new ConfigReader(reading, YamlGiven.root(reading, folder, root.orElse(null))).read();
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0);
      throw new ConfigException(
          List.of(new Problem(name, line, "(syntax)", found(e.getProblem()), "valid YAML")));
    } catch (ReaderException e) {
      var found = "the character U+%04X, which YAML does not allow".formatted(e.getCodePoint());
      int before = yaml.offsetByCodePoints(0, Math.min(e.getPosition(), length(yaml)));
      throw failed(name, line(yaml.substring(0, before)), found, "printable text");
    } catch (YamlEngineException e) {
      throw failed(name, "a file that is not YAML", "valid YAML");
    }
    if (!reading.problems.isEmpty()) {
      throw new ConfigException(
          reading.problems.stream().sorted(Comparator.comparingInt(Problem::line)).toList());
    }
    return config;
  }

  /** The parser's own words, of which some begin with "found". */
  /** What the parser found: it says "expected x, but got y", "but found y" or "found y". */
  private static String found(String problem) {
    return problem.replaceFirst("(?s)^(?:.*\\bbut (?:got|found)|found) ", "");
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static ConfigException failed(String name, String found, String allowed) {
    return failed(name, 0, found, allowed);
  }

  private static ConfigException failed(String name, int line, String found, String allowed) {
    return new ConfigException(List.of(new Problem(name, line, "(file)", found, allowed)));
  }

  /** The variables that name a provider's key and base URL, as its own SDKs read them. */
  private record Usual(
      String name, Api api, List<String> keys, List<String> baseUrls, String baseUrl) {}

  private static final List<Usual> USUAL =
      List.of(
          new Usual(
              "openai",
              Api.OPENAI,
              List.of("OPENAI_API_KEY"),
              List.of("OPENAI_BASE_URL"),
              "https://api.openai.com/v1"),
          new Usual(
              "anthropic",
              Api.ANTHROPIC,
              List.of("ANTHROPIC_API_KEY"),
              List.of("ANTHROPIC_BASE_URL"),
              "https://api.anthropic.com"),
          new Usual(
              "mistral",
              Api.MISTRAL,
              List.of("MISTRAL_API_KEY"),
              List.of("MISTRAL_BASE_URL"),
              "https://api.mistral.ai"),
          new Usual(
              "gemini",
              Api.GEMINI,
              List.of("GEMINI_API_KEY", "GOOGLE_API_KEY"),
              List.of("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
              "https://generativelanguage.googleapis.com"));

  /**
   * The configuration where there is no file: every provider whose usual key variable is set.
   *
   * @throws ConfigException where none is, or a base URL is no URL
   */
  public static Config fromEnvironment(Map<String, String> environment) throws ConfigException {
    var providers = new LinkedHashMap<String, Provider>();
    for (var usual : USUAL) {
      var key = first(usual.keys(), environment);
      if (key == null) {
        continue;
      }
      var text = first(usual.baseUrls(), environment);
      URI url = text == null ? URI.create(usual.baseUrl()) : new UrlTypes.BaseUrl().parse(text);
      if (url == null) {
        throw failed(
            "environment",
            "a " + usual.baseUrls().getFirst() + " that is not a URL",
            "an http URL");
      }
      providers.put(
          usual.name(), Provider.of(usual.name(), usual.api(), url, List.of(new Secret(key))));
    }
    if (providers.isEmpty()) {
      throw failed(
          "environment",
          "no provider's key",
          "at least one of OPENAI_API_KEY, ANTHROPIC_API_KEY, MISTRAL_API_KEY, GEMINI_API_KEY,"
              + " or a configuration with --config FILE");
    }
    var empty = parse("{}", "environment", environment);
    return empty.withRoutes(providers, Map.of(), empty.calls());
  }

  private static @Nullable String first(List<String> names, Map<String, String> environment) {
    for (var name : names) {
      var value = environment.get(name);
      if (value != null && !value.isBlank()) {
        return value.strip();
      }
    }
    return null;
  }
}
