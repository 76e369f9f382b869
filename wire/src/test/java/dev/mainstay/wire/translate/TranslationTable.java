package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes docs/translation.md from the table that the code works by. */
final class TranslationTable {
  private static final String HEAD =
      """
      # Translation

      This page lists how Mainstay translates requests and answers between dialects. If a client and a target speak different dialects, Mainstay
      translates the request into the target's dialect and the answer back into the client's. If they speak the same dialect, bytes pass through
      unchanged. OpenAI Chat and Mistral share their paths; Mainstay recognises the dialect by the client's user agent. If the user agent names
      neither, requests to a provider of either dialect and their answers pass through unchanged, except for `stream_options`, which Mainstay
      removes because Mistral refuses it.

      If the target's dialect lacks a field, Mainstay leaves it out and names it in the response header `x-mainstay-degraded`. You can configure
      it to skip the target instead (`translation-loss`). If the loss would change the meaning of the request, Mainstay always refuses the request
      and names the field's path in the error. A field that is null, or has its default value, is never a loss.

      ## Requests

      Generated from `wire/src/main/java/dev/mainstay/wire/translate/request/Feature.java`; a test fails when this page is older. Each row has a
      test. A column names the field; "—" means that the dialect lacks it. *Left out, named* means that Mainstay leaves the field out and names
      the row in `x-mainstay-degraded`. If a row is about a single field, its name is the whole path.

      | name | OpenAI Chat | Mistral | OpenAI Responses | Anthropic | Gemini | if the target lacks it | what is lost |
      |---|---|---|---|---|---|---|---|
      """;

  private static final String ANSWERS =
      """

      ## Answers

      This table applies to whole answers and streams. If the client's dialect lacks a part of the answer, Mainstay leaves it out and names the
      row in `x-mainstay-degraded`. In a stream, which has sent its headers by then, Mainstay names it in a comment. Generated from
      `wire/src/main/java/dev/mainstay/wire/translate/AnswerFeature.java`; every cell has a test.

      """;

  private static final String TAIL =
      """

      ## Rules for every translation

      - Mainstay never drops a conversation's content. It refuses an image, document or sound that it cannot send to the target.
      - Mainstay adapts ids of tool calls to each dialect, the same for a call and its result, and restores them on the way back.
      - Reasoning is signed by the dialect that created it, and goes back only to that dialect. A client of another dialect carries it in the
        place where its own dialect keeps a signature. No other provider gets it, not even as text. If a conversation reaches a provider
        untranslated, Mainstay removes only the reasoning of other dialects.
      - Gemini 3 refuses calls without a signature. Calls of other models carry the mark that Google documents for them.
      - If a request for Anthropic has tool calls in its history but no tools, Mainstay declares these tools, with a choice that forbids their use.
      - Google's SDKs write tool results without an id. Such a result belongs to the first call of its name in the latest turn that has no result
        yet. Ids that Mainstay creates are the same in every request of a conversation, so prompt caches stay effective.
      - Mainstay sends media in standard base64, whichever alphabet the client used.
      - If a provider answers a request for a stream with a whole answer, the client receives a stream. If a provider streams in answer to a
        request for a whole answer, the client receives a whole answer, after the stream has reached its protocol's own ending. A Gemini stream
        requested without `alt=sse` is a JSON array, whichever provider answers; its errors are in the array.
      - OpenAI keeps nothing of a translated request: Mainstay uses Responses with `store: false`, and requests their encrypted reasoning so it
        can send it back.
      """;

  private TranslationTable() {}

  static String page() {
    var page = new StringBuilder(HEAD);
    for (var feature : Feature.values()) {
      page.append("| `").append(feature.label()).append('`');
      for (var dialect :
          new Dialect[] {
            Dialect.OPENAI_CHAT,
            Dialect.MISTRAL,
            Dialect.OPENAI_RESPONSES,
            Dialect.ANTHROPIC,
            Dialect.GEMINI
          }) {
        page.append(" | ").append(column(feature, dialect));
      }
      page.append(" | ").append(policy(feature));
      page.append(" | ").append(feature.lost()).append(" |\n");
    }
    return page.append(ANSWERS).append(AnswerFeature.table()).append(TAIL).toString();
  }

  private static String column(Feature feature, Dialect dialect) {
    var column = feature.column(dialect);
    if (column == null) {
      return "—";
    }
    return feature.type() == null ? column : "`" + column.replace("|", "`, `") + "`";
  }

  private static String policy(Feature feature) {
    if (feature.lost().startsWith("nothing")) {
      return "—";
    }
    return switch (feature.policy()) {
      case DROP -> "left out, named";
      case REFUSE -> "refused";
      case SILENT -> "left out";
    };
  }

  static Path file() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("docs"))) {
      at = at.getParent();
    }
    if (at == null) {
      throw new IllegalStateException("no docs folder above this one");
    }
    return at.resolve("docs").resolve("translation.md");
  }

  public static void main(String[] args) throws IOException {
    Files.writeString(file(), page());
  }
}
