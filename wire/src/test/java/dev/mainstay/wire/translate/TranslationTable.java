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

      Where a client and a target speak different dialects, the request is translated into the target's dialect and the answer back
      into the client's. Where they speak the same one, nothing is: bytes pass through. OpenAI Chat and Mistral share their paths; a
      client speaks the one whose name its user agent has. Where it has neither, its requests to a provider of either and the answers
      pass through as they are, but for `stream_options`, which Mistral refuses and does not get.

      What the target has no word for is left out, and its name stands in the response header `x-mainstay-degraded`; or, as
      configured, the request is refused instead. What would change the meaning of the request is always refused, with the path of
      the field in the error. A field that is null, or has the value that says no more than leaving it out, is never a loss.

      ## Requests

      Generated from `wire/src/main/java/dev/mainstay/wire/translate/request/Feature.java`; a test fails when this page is older.
      Each row has a test. A column names the field; "—" is a dialect without a word for it. Where a row is about a single
      field, its name is the whole path.

      | name | OpenAI Chat | Mistral | OpenAI Responses | Anthropic | Gemini | no word for it | what is lost |
      |---|---|---|---|---|---|---|---|
      """;

  private static final String ANSWERS =
      """

      ## Answers

      Whole and streamed alike. What the client's dialect has no word for is left out of the answer, and the row's name stands in
      `x-mainstay-degraded`; in a stream, where the head has gone by then, in a comment. Generated from
      `wire/src/main/java/dev/mainstay/wire/translate/AnswerFeature.java`; every cell has a test.

      """;

  private static final String TAIL =
      """

      ## What is always so

      - A conversation's content is never dropped: an image, document or sound that the target cannot be sent is refused.
      - Ids of tool calls are fitted to what each dialect accepts, the same for a call and its result, and restored on the way back.
      - Reasoning is signed by the dialect that made it, and goes back to it alone: through a client of another dialect in the place
        where that dialect keeps its own signature. No other provider gets it, not even as text; a conversation that comes to a
        provider untranslated goes without what other dialects' answers left in it, and is else untouched.
      - Gemini 3 refuses calls without a signature: those that another model made carry the mark that Google documents for it.
      - Calls in the history of a request without tools declare their tools to Anthropic, with a choice that forbids them.
      - Google's SDKs write results of tools without an id: one belongs to the first call of its name in the latest turn that has no
        result yet. Ids that Mainstay makes up are the same in every request of a conversation, so that prompt caches hold.
      - Media go on in standard base64, whichever alphabet the client wrote.
      - A provider that answers a request for a stream with a whole answer is served as a stream, and one that streams in answer to a request
        for a whole answer is served as a whole answer, once the stream has come to its protocol's own ending. A stream of Gemini's that is asked
        for without `alt=sse` is a JSON array, whatever provider it comes from; its errors are in the array.
      - Nothing is kept at OpenAI for a translated request: Responses are asked with `store: false`, and with their encrypted
        reasoning so that it can be sent back.
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
      case DROP -> "left out, said";
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
