package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Drops the parameter that a provider says its model does not support, or no such value of it. Only
 * what the request has and the provider names is dropped, so words that happen to be in an error
 * cost nothing.
 */
public final class ParameterRepair {
  /** Parameters whose names are everyday words; they must be marked as names where they stand. */
  private static final Set<String> EVERYDAY =
      Set.of(
          "user",
          "n",
          "stop",
          "store",
          "seed",
          "include",
          "metadata",
          "background",
          "prediction",
          "audio",
          "truncation",
          "plugins",
          "provider",
          "route",
          "models",
          "transforms",
          "labels",
          "service",
          "speed",
          "effort",
          "summary",
          "type",
          "display",
          "enabled",
          "best",
          "echo",
          "suffix",
          "verbosity");

  /** What makes a refusal one of this combination of parameters, and no trait of the model. */
  private static final List<String> COMBINED =
      List.of(
          " when ",
          " while ",
          " unless ",
          "both",
          "only one of",
          "only set only",
          "one of thinking",
          "incompatible",
          "together",
          "must be set to",
          "requires",
          "in thinking mode",
          "only support stream",
          "with stream");

  private final Parameters parameters;
  private final LocatedValue request;
  private final ProviderWords words;
  private final byte[] body;
  private final Dialect dialect;

  private ParameterRepair(Dialect dialect, byte[] body, LocatedValue request, ProviderWords words) {
    this.dialect = dialect;
    this.body = body;
    this.request = request;
    this.words = words;
    this.parameters = new Parameters(dialect, request);
  }

  /**
   * {@code body} without what {@code error} complains about, or with the name that the model knows
   * it by.
   *
   * @param error the body of the provider's error
   * @return empty where it names no parameter of the request that may be dropped
   */
  public static Optional<EditedRequest> drop(Dialect dialect, byte[] body, String error) {
    var request = LocatedValue.object(body);
    if (request == null) {
      return Optional.empty();
    }
    return Optional.ofNullable(
        new ParameterRepair(dialect, body, request, ProviderWords.read(error)).drop());
  }

  private @Nullable EditedRequest drop() {
    if (words.says("developer") && words.says("role")) {
      var renamed = apply(new Quirk.NoDeveloper(), "sent developer messages as system messages");
      if (renamed != null) {
        return renamed;
      }
    }
    var path = named();
    path = path == null ? mentioned() : path;
    if (path == null) {
      return null;
    }
    var other = otherName(path);
    if (other != null && request.field(other) == null) {
      return apply(new Quirk.Renames(path, other), "renamed " + path + " to " + other);
    }
    return apply(new Quirk.Drops(path), "dropped " + path);
  }

  private @Nullable EditedRequest apply(Quirk quirk, String what) {
    var edited = Quirks.apply(quirk, dialect, body);
    if (edited == body) {
      return null;
    }
    boolean lasting = COMBINED.stream().noneMatch(words::says);
    return new EditedRequest(edited, 1, 0, what, lasting ? quirk : null, quirk.loses());
  }

  private @Nullable String named() {
    for (var name : words.named()) {
      var path = parameters.resolve(name);
      if (path != null) {
        return path;
      }
    }
    return null;
  }

  /** OpenAI's newer models know the limit by one name, all others by the other. */
  private @Nullable String otherName(String path) {
    if (dialect != Dialect.OPENAI_CHAT && dialect != Dialect.MISTRAL) {
      return null;
    }
    return switch (path) {
      case "max_tokens" -> "max_completion_tokens";
      case "max_completion_tokens" -> "max_tokens";
      default -> null;
    };
  }

  /** The first parameter that the provider's words mention. */
  private @Nullable String mentioned() {
    var present = parameters.present();
    var said = words.words();
    for (int i = 0; i < said.size(); i++) {
      var word = said.get(i);
      if (word.text().indexOf('.') > 0 || word.text().indexOf('[') > 0) {
        var path = parameters.resolve(word.text());
        if (path != null) {
          return path;
        }
      }
      var next = i + 1 < said.size() ? said.get(i + 1).text() : "";
      var path = match(present, word, next);
      if (path == null && word.marked()) {
        path = parameters.loose(word.text());
      }
      if (path != null) {
        return path;
      }
    }
    return null;
  }

  private static @Nullable String match(
      List<String> present, ProviderWords.Word word, String next) {
    var one = Parameters.plain(word.text());
    var two = one + Parameters.plain(next);
    String found = null;
    for (var path : present) {
      var name = Parameters.plain(path.substring(path.lastIndexOf('.') + 1));
      boolean told = name.equals(one) && (word.marked() || !EVERYDAY.contains(name));
      // "Thinking budget is not supported", said of thinkingBudget; the deepest says most.
      if (!name.isEmpty() && (told || name.equals(two) && name.length() > one.length())) {
        found = path;
      }
    }
    return found;
  }
}
