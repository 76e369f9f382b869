package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the table's settings. */
public final class Settings {
  private Settings() {}

  /**
   * The settings in {@code body}; those that another dialect cannot be told are in it too, so that
   * writing finds them lost.
   *
   * @param but rows that the dialect's reader sees to itself
   */
  public static EnumMap<Feature, JsonNode> read(
      TranslationContext context, Node body, Set<Feature> but) {
    var settings = new EnumMap<Feature, JsonNode>(Feature.class);
    for (var feature : Feature.values()) {
      if (feature.type() == null || but.contains(feature)) {
        continue;
      }
      for (var path : paths(context, feature)) {
        var found = find(body, path);
        if (found != null) {
          settings.putIfAbsent(feature, checked(feature, found));
        }
      }
    }
    return settings;
  }

  /**
   * Writes what the target has a word for into {@code body}, and loses the rest.
   *
   * @param but rows that the dialect's writer has seen to
   */
  public static void write(
      TranslationContext context,
      Map<Feature, JsonNode> settings,
      ObjectNode body,
      Set<Feature> but) {
    settings.forEach(
        (feature, value) -> {
          if (but.contains(feature)) {
            return;
          }
          var column = feature.column(context.to());
          if (column == null) {
            lose(context, feature, value);
          } else {
            put(body, first(column), value);
          }
        });
  }

  /**
   * Takes what is wanted besides text out of {@code settings}: sound and images of an answer cannot
   * be given back in another dialect.
   */
  public static void onlyText(TranslationContext context, Map<Feature, JsonNode> settings) {
    if (settings.remove(Feature.MODALITIES) instanceof JsonNode modalities) {
      for (var modality : modalities) {
        if (!modality.asString("").equalsIgnoreCase("text")) {
          throw context.refuse(Feature.MODALITIES, path(context, Feature.MODALITIES));
        }
      }
    }
    if (settings.remove(Feature.AUDIO_OUTPUT) instanceof JsonNode voice) {
      lose(context, Feature.AUDIO_OUTPUT, voice);
    }
  }

  /** Where the client's dialect has it; empty where it has no word for it. */
  static String path(TranslationContext context, Feature feature) {
    var column = feature.column(context.from());
    return column == null ? "" : first(column);
  }

  /** Loses a setting, unless its value says nothing. */
  public static void lose(TranslationContext context, Feature feature, JsonNode value) {
    if (!isNeutral(feature, value)) {
      context.lose(feature, path(context, feature));
    }
  }

  /** Whether {@code value} says no more than nothing. */
  public static boolean isNeutral(Feature feature, JsonNode value) {
    var neutral = feature.neutral();
    if (neutral == null) {
      return false;
    }
    var other = Body.parse(neutral);
    if (value.isNumber() && other.isNumber()) {
      return value.decimalValue().compareTo(other.decimalValue()) == 0;
    }
    return value.equals(other);
  }

  /** Sets the field at a dotted path. */
  public static void put(ObjectNode body, String path, JsonNode value) {
    Body.parent(body, path).set(Body.leaf(path), value);
  }

  private static String first(String column) {
    int bar = column.indexOf('|');
    return bar < 0 ? column : column.substring(0, bar);
  }

  private static @Nullable Node find(Node body, String path) {
    var at = body;
    int from = 0;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', from)) {
      at = at.get(path.substring(from, dot));
      if (at == null) {
        return null;
      }
      from = dot + 1;
    }
    return at.get(path.substring(from));
  }

  private static JsonNode checked(Feature feature, Node found) {
    var type = feature.type();
    if (type == null) {
      throw new IllegalArgumentException(feature + " is no setting");
    }
    return switch (type) {
      case NUMBER -> {
        if (!found.json().isNumber()) {
          throw found.wrong("a number");
        }
        yield found.json();
      }
      case INTEGER -> {
        found.integer();
        yield found.json();
      }
      case BOOLEAN -> {
        found.bool();
        yield found.json();
      }
      case STRING -> Body.of(found.string());
      case STRINGS -> strings(found);
      case RAW -> found.json();
    };
  }

  private static ArrayNode strings(Node found) {
    var strings = Tree.array();
    if (found.isString()) {
      strings.add(found.string());
    } else {
      found.elements().forEach(element -> strings.add(element.string()));
    }
    return strings;
  }

  /** Loses the fields of {@code body} that neither the table nor {@code readHere} names. */
  public static void unknown(TranslationContext context, Node body, Set<String> readHere) {
    for (var field : body.fields()) {
      if (!readHere.contains(field.name()) && !named(context, field.value().path())) {
        context.lose(Feature.UNKNOWN_FIELD, field.value().path());
      }
    }
  }

  private static boolean named(TranslationContext context, String field) {
    for (var feature : Feature.values()) {
      if (feature.type() == null) {
        continue;
      }
      for (var path : paths(context, feature)) {
        if (path.equals(field) || path.startsWith(field + ".")) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Where the request may have it. A client of OpenAI's that is pointed at Mistral says what OpenAI
   * has no word for in Mistral's own ({@code extra_body}).
   */
  private static List<String> paths(TranslationContext context, Feature feature) {
    var paths = new ArrayList<String>(2);
    add(feature.column(context.from()), paths);
    if (context.from() == Dialect.OPENAI_CHAT && context.to() == Dialect.MISTRAL) {
      add(feature.column(context.to()), paths);
    }
    return paths;
  }

  private static void add(@Nullable String column, List<String> paths) {
    if (column != null) {
      paths.addAll(List.of(column.split("\\|")));
    }
  }
}
