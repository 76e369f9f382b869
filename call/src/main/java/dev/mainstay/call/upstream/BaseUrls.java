package dev.mainstay.call.upstream;

import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.wire.Api;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Base URLs that are probably not what the provider's own SDK takes. */
public final class BaseUrls {
  /** Hosts whose OpenAI dialect stands at the root: their own documentation says so. */
  private static final Set<String> WITHOUT_VERSION =
      Set.of("api.deepseek.com", "api.perplexity.ai");

  private BaseUrls() {}

  /**
   * What looks wrong with a base URL.
   *
   * @param found what is wrong, with the URL
   * @param allowed what was probably meant
   */
  public record Wrong(String found, String allowed) {}

  /** What looks wrong with {@code spec}'s base URL, in a sentence, or null. */
  public static @Nullable String complaint(ProviderSpec spec) {
    var wrong = wrong(spec.api(), spec.options().baseUrl());
    return wrong == null
        ? null
        : "The base-url of provider %s is %s. You probably mean %s"
            .formatted(spec.name(), wrong.found(), wrong.allowed());
  }

  /** What looks wrong with {@code url} for a provider that speaks {@code api}, or null. */
  public static @Nullable Wrong wrong(Api api, URI url) {
    var text = url.toString().replaceAll("/+$", "");
    var path = url.getPath() == null ? "" : url.getPath().replaceAll("/+$", "");
    var lower = path.toLowerCase(Locale.ROOT);
    for (var ending :
        List.of("/chat/completions", "/completions", "/responses", "/embeddings", "/messages")) {
      if (lower.endsWith(ending)) {
        return new Wrong(
            text + ", which ends in the path of a call",
            text.substring(0, text.length() - ending.length()));
      }
    }
    if (api == Api.OPENAI) {
      if (lower.endsWith("/v1/v1")) {
        return new Wrong(text + ", which has /v1 twice", text.substring(0, text.length() - 3));
      }
      return path.isEmpty() && !WITHOUT_VERSION.contains(url.getHost().toLowerCase(Locale.ROOT))
          ? new Wrong(text + ", which has no /v1", text + "/v1")
          : null;
    }
    for (var version : List.of("/v1", "/v1beta")) {
      if (lower.endsWith(version)) {
        return new Wrong(
            "%s, which ends in %s: SDKs of %s add that themselves"
                .formatted(text, version, api.label()),
            text.substring(0, text.length() - version.length()));
      }
    }
    return null;
  }
}
