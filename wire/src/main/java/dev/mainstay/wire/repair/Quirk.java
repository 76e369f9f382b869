package dev.mainstay.wire.repair;

import java.util.Set;
import java.util.stream.Collectors;

/** What a target's refusal taught about the requests it takes. */
public sealed interface Quirk {

  /** What a request loses by it, by the names of parameters. */
  default Set<String> loses() {
    return switch (this) {
      case Drops(String path) -> Set.of(path);
      case MaxTokens max -> Set.of("max_tokens");
      case SchemaKeywords schemas ->
          schemas.names().stream()
              .map(name -> "tools.schema." + name)
              .collect(Collectors.toUnmodifiableSet());
      case Renames renames -> Set.of();
      case NoDeveloper none -> Set.of();
    };
  }

  /**
   * It does not know a parameter, or takes no value for it but its own.
   *
   * @param path the names that lead to it, joined by dots; below {@code messages}, {@code tools}
   *     and the like for every item
   */
  record Drops(String path) implements Quirk {}

  /** It knows a parameter by another name. */
  record Renames(String from, String to) implements Quirk {}

  /** It knows no role {@code developer}, only {@code system}. */
  record NoDeveloper() implements Quirk {}

  /** It does not know these keywords in the schemas of tools. */
  record SchemaKeywords(Set<String> names) implements Quirk {
    public SchemaKeywords {
      names = Set.copyOf(names);
    }
  }

  /** It writes at most so many tokens. */
  record MaxTokens(long limit) implements Quirk {}
}
