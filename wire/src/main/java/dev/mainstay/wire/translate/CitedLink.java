package dev.mainstay.wire.translate;

import dev.mainstay.wire.json.Tree;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a citation of a web page comes to in every dialect that has one.
 *
 * @param start where the text that rests on it begins, in characters of the text so far, or -1
 *     where the dialect does not say
 * @param end where it ends, or -1
 * @param cited the words of the page, or ""
 */
public record CitedLink(String url, String title, long start, long end, String cited) {

  /** What {@code citation} points to, or null where that is no web page. */
  public static @Nullable CitedLink of(Delta.Citation citation) {
    var value = citation.value();
    var link =
        switch (citation.of()) {
          case OPENAI_CHAT -> annotation(value.path("url_citation"));
          case OPENAI_RESPONSES -> annotation(value);
          case ANTHROPIC ->
              new CitedLink(
                  Tree.text(value, value.has("url") ? "url" : "source"),
                  Tree.text(value, "title"),
                  -1,
                  -1,
                  Tree.text(value, "cited_text"));
          case GEMINI ->
              new CitedLink(
                  Tree.text(value, "uri"),
                  Tree.text(value, "title"),
                  value.path("startIndex").asLong(-1),
                  value.path("endIndex").asLong(-1),
                  "");
          case MISTRAL ->
              new CitedLink(Tree.text(value, "url"), Tree.text(value, "title"), -1, -1, "");
        };
    return link.url.startsWith("http://") || link.url.startsWith("https://") ? link : null;
  }

  private static CitedLink annotation(JsonNode node) {
    return new CitedLink(
        Tree.text(node, "url"),
        Tree.text(node, "title"),
        node.path("start_index").asLong(-1),
        node.path("end_index").asLong(-1),
        "");
  }

  /**
   * The fields of OpenAI's {@code url_citation}.
   *
   * @param from where the text that was cited begins, where the dialect did not say
   * @param to where it ends, likewise
   */
  public ObjectNode annotation(long from, long to) {
    return Tree.object()
        .put("start_index", start < 0 ? from : start)
        .put("end_index", end < 0 ? to : end)
        .put("title", title)
        .put("url", url);
  }
}
