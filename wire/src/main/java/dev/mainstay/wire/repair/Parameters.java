package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request that may be dropped, by path. One may be dropped where the answer
 * keeps the form the client asked for: the conversation and the tools stay, and so do a forced tool
 * choice, a promised JSON schema, {@code stream} and more than one choice.
 */
final class Parameters {
  /** What a request is about, and the form of its answer. */
  private static final Set<String> KEPT =
      Set.of(
          "model",
          "messages",
          "input",
          "contents",
          "system",
          "systeminstruction",
          "instructions",
          "prompt",
          "tools",
          "functions",
          "stream",
          "responseformat",
          "outputformat",
          "toolconfig",
          "functioncall",
          "previousresponseid",
          "conversation",
          "cachedcontent",
          "generationconfig",
          "text",
          "modalities",
          "responsemodalities",
          "responsemimetype",
          "responseschema",
          "responsejsonschema",
          "format",
          "container",
          "mcpservers");

  /** Objects that hold parameters of their own. */
  private static final Set<String> HOLDERS =
      Set.of(
          "generationconfig",
          "thinkingconfig",
          "reasoning",
          "text",
          "thinking",
          "outputconfig",
          "streamoptions");

  /** Lists whose items may have fields that a model does not know. */
  private static final List<String> LISTS =
      List.of("messages", "input", "contents", "tools", "system");

  /** Fields within those lists whose loss changes no meaning. */
  private static final Set<String> LOOSE =
      Set.of(
          "cachecontrol",
          "reasoning",
          "reasoningcontent",
          "reasoningdetails",
          "strict",
          "eagerinputstreaming",
          "deferloading",
          "allowedcallers",
          "inputexamples",
          "ttl",
          "outputconfig",
          "refusal",
          "annotations",
          "prefix",
          "index",
          "extracontent",
          "metadata",
          "provideroptions",
          "citations",
          "phase",
          "logprobs",
          "status");

  private static final int LOOSE_DEPTH = 5;

  private final Dialect dialect;
  private final LocatedValue request;

  Parameters(Dialect dialect, LocatedValue request) {
    this.dialect = dialect;
    this.request = request;
  }

  /** Letters and digits alone, in lower case: {@code max_tokens} is {@code maxTokens}. */
  static String plain(String name) {
    var out = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isLetterOrDigit(c)) {
        out.append(c);
      }
    }
    return out.toString().toLowerCase(Locale.ROOT);
  }

  /** The paths of those that are there: at the top, and in the objects that hold more of them. */
  List<String> present() {
    var paths = new ArrayList<String>();
    collect(request, "", paths);
    return paths;
  }

  private void collect(LocatedValue object, String prefix, List<String> paths) {
    for (var field : object.fields()) {
      var path = prefix + field.name();
      if (mayGo(field) && (prefix.isEmpty() || !plain(field.name()).equals("type"))) {
        paths.add(path);
      }
      if (HOLDERS.contains(plain(field.name())) && field.value().isObject()) {
        collect(field.value(), path + ".", paths);
      }
    }
  }

  private boolean mayGo(LocatedValue.Field field) {
    var value = field.value();
    return switch (plain(field.name())) {
      case "n", "candidatecount" -> value.json().equals("1");
      case "toolchoice" -> value.text().equals("auto") || value.text("type").equals("auto");
      case "maxtokens" -> dialect != Dialect.ANTHROPIC;
      case "outputconfig" -> value.get("format") == null;
      case String name -> !KEPT.contains(name);
    };
  }

  /**
   * The path of what a provider calls {@code said}, a name or a path with indices and words of its
   * own in it ({@code tools.0.custom.strict}); null where it is not there or may not go.
   */
  @Nullable String resolve(String said) {
    var parts = new ArrayList<String>();
    for (var part : said.split("[.\\[\\]]+", 32)) {
      if (!part.isEmpty()) {
        parts.add(part);
      }
    }
    if (parts.isEmpty()) {
      return null;
    }
    if (parts.size() > 1) {
      for (var list : LISTS) {
        if (parts.getFirst().equals(list)) {
          return loose(list, parts.getLast());
        }
      }
    }
    // A path is only understood from its first name on.
    var found = like(request, parts.getFirst());
    if (found == null) {
      return null;
    }
    var path = new StringBuilder(found.name());
    for (var part : parts.subList(1, parts.size())) {
      var inner = like(found.value(), part);
      if (inner != null && !wholeOnly(found, inner)) {
        if (!mayGo(found) && !HOLDERS.contains(plain(found.name()))) {
          return null;
        }
        found = inner;
        path.append('.').append(inner.name());
      }
    }
    return mayGo(found) ? path.toString() : null;
  }

  /** What an object cannot do without; it goes as a whole then. */
  private static boolean wholeOnly(LocatedValue.Field holder, LocatedValue.Field inner) {
    return switch (plain(inner.name())) {
      case "type" -> true;
      // Anthropic: "thinking.enabled.budget_tokens: Field required".
      case "budgettokens" -> holder.value().text("type").equals("enabled");
      default -> false;
    };
  }

  private static LocatedValue.@Nullable Field like(LocatedValue object, String name) {
    var wanted = plain(name);
    for (var field : object.fields()) {
      if (plain(field.name()).equals(wanted)) {
        return field;
      }
    }
    return null;
  }

  /** The path for a field in the items of a list, where one of them has it. */
  @Nullable String loose(String list, String name) {
    var items = request.get(list);
    var wanted = plain(name);
    return items != null && LOOSE.contains(wanted) && has(items, wanted, 0)
        ? list + "." + name
        : null;
  }

  /** The same for whichever list has it. */
  @Nullable String loose(String name) {
    for (var list : LISTS) {
      var path = loose(list, name);
      if (path != null) {
        return path;
      }
    }
    return null;
  }

  private static boolean has(LocatedValue value, String wanted, int depth) {
    if (depth > LOOSE_DEPTH) {
      return false;
    }
    for (var item : value.items()) {
      if (has(item, wanted, depth + 1)) {
        return true;
      }
    }
    for (var field : value.fields()) {
      if (plain(field.name()).equals(wanted)
          || !foreign(field.name()) && has(field.value(), wanted, depth + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Whether what stands in it is the client's or the model's own, with names of their own. */
  private static boolean foreign(String name) {
    return switch (plain(name)) {
      case "parameters", "inputschema", "input", "arguments", "args", "response", "output" -> true;
      default -> false;
    };
  }

  /** Cuts out what {@code path} leads to, and what holds nothing else; false where nothing does. */
  boolean drop(String path, BodyEdits edits) {
    int dot = path.indexOf('.');
    var first = dot < 0 ? path : path.substring(0, dot);
    if (dot > 0 && LISTS.contains(first)) {
      var list = request.get(first);
      return list != null && cutLoose(list, plain(path.substring(dot + 1)), edits, 0);
    }
    LocatedValue holder = request;
    LocatedValue.Field top = null;
    LocatedValue topHolder = request;
    for (var name : path.split("\\.", 8)) {
      var field = holder.field(name);
      if (field == null) {
        return false;
      }
      if (top == null || holder.fields().size() > 1 || KEPT.contains(plain(top.name()))) {
        top = field;
        topHolder = holder;
      }
      holder = field.value();
    }
    var last = top;
    return last != null && edits.removeFields(topHolder, field -> field == last);
  }

  private static boolean cutLoose(LocatedValue value, String wanted, BodyEdits edits, int depth) {
    if (depth > LOOSE_DEPTH) {
      return false;
    }
    boolean any = false;
    for (var item : value.items()) {
      any |= cutLoose(item, wanted, edits, depth + 1);
    }
    if (!value.fields().isEmpty()) {
      any |= edits.removeFields(value, field -> plain(field.name()).equals(wanted));
      for (var field : value.fields()) {
        if (!plain(field.name()).equals(wanted) && !foreign(field.name())) {
          any |= cutLoose(field.value(), wanted, edits, depth + 1);
        }
      }
    }
    return any;
  }
}
