package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.Optional;
import java.util.Set;

/**
 * Makes a transcript whole whose tool calls and results do not pair: a call without a result gets
 * one that says so, a result without a call is taken out, of several results of one call the first
 * stays, and a result that stands elsewhere is moved to where its dialect wants it. What is in
 * order is not touched, byte for byte; the outcome depends on the transcript alone, and its
 * beginning, but for results that are moved, on the transcript's beginning alone, so that the
 * provider's prompt cache keeps hitting from turn to turn. Doing it twice changes nothing more.
 */
public final class HistoryRepair {
  /** What the model reads in the place of a result that never came. */
  static final String NO_RESULT = "No result: this tool call was interrupted.";

  /** What the model is taken to have said where it has to speak and did not. */
  static final String SEEN = "I have seen the results.";

  private HistoryRepair() {}

  /**
   * {@code body} with a transcript that pairs; the sizes count the calls and results that did not.
   *
   * @return empty where all of them do
   */
  public static Optional<EditedRequest> mend(Dialect dialect, byte[] body) {
    return mend(dialect, body, "");
  }

  /**
   * The same after a provider refused {@code body}, for what only its words tell: that no user's
   * turn may follow a tool's, that a call it keeps itself has no output yet, or that function
   * responses must stand alone.
   *
   * @param error the body of the provider's error, or "" where there is none yet
   */
  public static Optional<EditedRequest> mend(Dialect dialect, byte[] body, String error) {
    var request = LocatedValue.object(body);
    if (request == null) {
      return Optional.empty();
    }
    var edits = new BodyEdits(body);
    int mended =
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL ->
              ChatHistory.mend(
                  dialect == Dialect.MISTRAL || error.contains("after role 'tool'"),
                  body,
                  request,
                  edits);
          case OPENAI_RESPONSES -> ResponsesHistory.mend(body, request, edits, error);
          case ANTHROPIC -> AnthropicHistory.mend(body, request, edits);
          case GEMINI ->
              GeminiHistory.mend(
                  body, request, edits, error.contains("number of function response parts"));
        };
    return mended == 0
        ? Optional.empty()
        : Optional.of(
            new EditedRequest(
                edits.apply(),
                mended,
                0,
                "paired tool calls and results in " + mended + " places",
                null,
                Set.of()));
  }
}
