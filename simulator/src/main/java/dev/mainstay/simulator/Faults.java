package dev.mainstay.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The catalogue: faults that have been seen in the wild, with the bodies that came with them, under
 * names for scripts. They stand in {@code faults.yaml} beside this class, each with its source.
 */
public final class Faults {
  private static final List<Known> ALL = load();
  private static final Map<String, Known> BY_NAME = index();

  private Faults() {}

  /**
   * A fault of the catalogue.
   *
   * @param name for scripts: {@code openai-rate-limit}
   * @param provider whose it is: openai, anthropic, mistral, gemini, or any
   * @param kind what it should be classified as, a kind of the classification; {@code ok} for none
   * @param what in a few words, for people
   * @param source where it was seen
   * @param step what a request gets
   */
  public record Known(
      String name, String provider, String kind, String what, String source, Step step) {}

  /** All of them, in the catalogue's order. */
  public static List<Known> all() {
    return ALL;
  }

  /** All of them by name. */
  public static Map<String, Known> byName() {
    return BY_NAME;
  }

  /**
   * Those that a provider ({@code openai}, {@code anthropic}, {@code mistral}, {@code gemini}) can
   * show, those of any included.
   */
  public static List<Known> of(String provider) {
    return ALL.stream()
        .filter(f -> f.provider().equals(provider) || f.provider().equals("any"))
        .toList();
  }

  /**
   * What a request gets under a name.
   *
   * @throws IllegalArgumentException when there is none of that name
   */
  public static Step step(String name) {
    Known known = BY_NAME.get(name);
    if (known == null) throw new IllegalArgumentException("no fault is called \"" + name + "\"");
    return known.step();
  }

  private static Map<String, Known> index() {
    var index = new LinkedHashMap<String, Known>();
    for (Known known : ALL) {
      if (index.put(known.name(), known) != null) {
        throw new IllegalStateException("two faults are called " + known.name());
      }
    }
    return Map.copyOf(index);
  }

  private static List<Known> load() {
    try (InputStream in = Faults.class.getResourceAsStream("faults.yaml")) {
      if (in == null) throw new IllegalStateException("faults.yaml is missing");
      JsonNode root = ScriptFields.tree(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      var reader = new ScriptReader();
      var all = new ArrayList<Known>();
      for (var each : root.properties()) {
        JsonNode fault = each.getValue();
        all.add(
            new Known(
                each.getKey(),
                required(fault, "provider", each.getKey()),
                required(fault, "kind", each.getKey()),
                required(fault, "what", each.getKey()),
                required(fault, "source", each.getKey()),
                reader.step(fault.path("step"), each.getKey()).named(each.getKey())));
      }
      return List.copyOf(all);
    } catch (IOException e) {
      throw new IllegalStateException("faults.yaml cannot be read", e);
    }
  }

  private static String required(JsonNode fault, String field, String name) {
    String value = fault.path(field).asString("");
    if (value.isEmpty()) throw new IllegalStateException(name + " has no " + field);
    return value;
  }
}
