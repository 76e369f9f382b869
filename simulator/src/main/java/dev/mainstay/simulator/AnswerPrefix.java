package dev.mainstay.simulator;

import java.util.List;

/**
 * An answer that the asker had begun.
 *
 * @param text its beginning; empty: it had not
 * @param instructed whether a user message after it asks for the rest; else it is a prefill
 * @param asked the last user message before it, where {@code instructed}
 */
record AnswerPrefix(String text, boolean instructed, String asked) {
  static final AnswerPrefix NOTHING = new AnswerPrefix("", false, "");

  boolean prefilled() {
    return !text.isEmpty() && !instructed;
  }

  /** Gathers it from messages in order. */
  static final class Reading {
    private String before = "";
    private String user = "";
    private String assistant = "";
    private boolean assistantLast;
    private String asked = "";

    void user(String text) {
      if (assistantLast) {
        asked = before;
      } else {
        assistant = "";
      }
      before = text;
      user = text;
      assistantLast = false;
    }

    void assistant(String text) {
      assistant = text;
      assistantLast = true;
    }

    void other() {
      assistant = "";
      assistantLast = false;
    }

    /** {@code prefills}: whether an assistant message at the end is an answer's beginning. */
    SimulatedRequest.Conversation conversation(List<String> tools, boolean prefills) {
      return new SimulatedRequest.Conversation(tools, user, begun(prefills));
    }

    private AnswerPrefix begun(boolean prefills) {
      if (assistant.isEmpty()) return NOTHING;
      if (assistantLast) return prefills ? new AnswerPrefix(assistant, false, "") : NOTHING;
      return new AnswerPrefix(assistant, true, asked);
    }
  }
}
