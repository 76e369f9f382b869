package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Loosens tools' schemas: takes out of them the keywords that a provider says it does not know.
 * Only keywords that narrow what fits or only remark on it, so that whatever fitted still fits, and
 * only those that the error names where the schemas have them. Arguments are held against the
 * client's own schemas all the same, where they are held against any.
 */
public final class SchemaRepair {
  /** Names that no sentence has by chance. */
  private static final Set<String> NAMES =
      Set.of(
          "minLength",
          "maxLength",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minItems",
          "maxItems",
          "uniqueItems",
          "minProperties",
          "maxProperties",
          "patternProperties",
          "propertyNames",
          "minContains",
          "maxContains",
          "additionalProperties",
          "unevaluatedProperties",
          "unevaluatedItems",
          "dependentRequired",
          "dependentSchemas",
          "contentEncoding",
          "contentMediaType",
          "readOnly",
          "writeOnly",
          "$schema",
          "$id",
          "$comment");

  /** Names that are words too: they count in quotes, or as the last step of a path. */
  private static final Set<String> WORDS =
      Set.of(
          "pattern",
          "format",
          "minimum",
          "maximum",
          "contains",
          "dependencies",
          "not",
          "if",
          "then",
          "else",
          "default",
          "const",
          "title",
          "example",
          "examples",
          "deprecated");

  /** Some providers know these, but not as the outermost of a schema. */
  private static final Set<String> OUTERMOST = Set.of("oneOf", "anyOf", "allOf");

  private static final Set<String> MAPS = Set.of("properties", "$defs", "definitions");
  private static final Set<String> VALUES =
      Set.of("enum", "const", "default", "example", "examples", "required");
  private static final List<String> QUOTES = List.of("'", "\"", "`", "\\\"");

  private final Set<String> gone;
  private final Set<String> found = new TreeSet<>();
  private final BodyEdits edits;

  private SchemaRepair(Set<String> gone, BodyEdits edits) {
    this.gone = gone;
    this.edits = edits;
  }

  /** {@code body} without the keywords that {@code error} names; empty where it names none. */
  public static Optional<EditedRequest> loosen(Dialect dialect, byte[] body, String error) {
    var request = LocatedValue.object(body);
    var named = named(error);
    if (request == null || named.isEmpty()) {
      return Optional.empty();
    }
    var edits = new BodyEdits(body);
    var had = remove(dialect, request, named, edits);
    if (had.isEmpty()) {
      return Optional.empty();
    }
    var learned = new Quirk.SchemaKeywords(had);
    return Optional.of(
        new EditedRequest(
            edits.apply(),
            had.size(),
            0,
            "tools' schemas without " + String.join(", ", had),
            learned,
            learned.loses()));
  }

  /** Removes the keywords from every tool's schema; which of them there were. */
  static Set<String> remove(
      Dialect dialect, LocatedValue request, Set<String> names, BodyEdits edits) {
    var repair = new SchemaRepair(names, edits);
    for (var tool : request.list("tools", "functions")) {
      switch (dialect) {
        case OPENAI_CHAT, MISTRAL -> {
          var function = tool.get("function");
          repair.outermost((function == null ? tool : function).get("parameters"));
        }
        case OPENAI_RESPONSES -> repair.outermost(tool.get("parameters"));
        case ANTHROPIC -> repair.outermost(tool.get("input_schema"));
        case GEMINI -> {
          for (var one : tool.list("functionDeclarations", "function_declarations")) {
            repair.outermost(
                one.get("parameters", "parametersJsonSchema", "parameters_json_schema"));
          }
        }
      }
    }
    return repair.found;
  }

  private void outermost(@Nullable LocatedValue schema) {
    if (schema != null) {
      schema(schema, true);
    }
  }

  private void schema(LocatedValue schema, boolean outermost) {
    edits.removeFields(
        schema,
        field -> {
          boolean goes =
              gone.contains(field.name()) && (outermost || !OUTERMOST.contains(field.name()));
          if (goes) {
            found.add(field.name());
          } else if (MAPS.contains(field.name())) {
            field.value().fields().forEach(each -> schema(each.value(), false));
          } else if (!VALUES.contains(field.name())) {
            below(field.value());
          }
          return goes;
        });
  }

  /** Where no schema is meant by name, one stands wherever an object does. */
  private void below(LocatedValue value) {
    if (value.isObject()) {
      schema(value, false);
    } else if (value.isArray()) {
      value.items().stream().filter(LocatedValue::isObject).forEach(item -> schema(item, false));
    }
  }

  private static Set<String> named(String error) {
    var names = new TreeSet<String>();
    NAMES.stream().filter(name -> stands(error, name)).forEach(names::add);
    WORDS.stream().filter(word -> marked(error, word)).forEach(names::add);
    var lower = error.toLowerCase(Locale.ROOT);
    if (lower.contains("top level") || lower.contains("top-level") || lower.contains("root")) {
      OUTERMOST.stream().filter(name -> stands(error, name)).forEach(names::add);
    }
    return names;
  }

  private static boolean stands(String text, String name) {
    for (int at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      int end = at + name.length();
      if ((at == 0 || !isLetter(text.charAt(at - 1)))
          && (end == text.length() || !isLetter(text.charAt(end)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLetter(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private static boolean marked(String text, String word) {
    for (var quote : QUOTES) {
      if (text.contains(quote + word + quote)) {
        return true;
      }
    }
    return text.contains("." + word + ":") || text.contains("/" + word + ":");
  }
}
