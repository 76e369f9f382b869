package dev.mainstay.ledger.sql;

import java.util.List;
import java.util.stream.Collectors;

/** How each database looks for words in {@code call_text}, which has a row for a call with text. */
public enum TextSearch {
  /**
   * https://www.sqlite.org/fts5.html#full_text_query_syntax; the newest rows come first by
   * themselves.
   */
  FTS5(
      "call_text cross join calls on calls.seq = call_text.rowid",
      List.of("call_text.rowid"),
      "call_text match ?") {
    @Override
    String query(List<SearchWords.Term> terms) {
      return terms.stream()
          .distinct()
          .map(term -> '"' + String.join(" ", term.words()) + '"' + (term.begins() ? " *" : ""))
          .collect(Collectors.joining(" "));
    }
  },

  /**
   * https://www.postgresql.org/docs/current/datatype-textsearch.html#DATATYPE-TSQUERY; PostgreSQL
   * takes the bounds of one table's numbers for no bounds of the other's. With those of calls alone
   * it looked into each day's text for each call: 71 ms for 131,072 numbers, and 5 with both.
   */
  TSVECTOR(
      "call_text join calls on calls.seq = call_text.call_seq",
      List.of("call_text.call_seq", "calls.seq"),
      "call_text.words @@ to_tsquery('simple', ?)") {
    @Override
    String query(List<SearchWords.Term> terms) {
      return terms.stream()
          .distinct()
          .map(
              term ->
                  term.words().stream()
                      .map(word -> "'" + word + "'")
                      .collect(Collectors.joining(" <-> ", "(", term.begins() ? ":*)" : ")")))
          .collect(Collectors.joining(" & "));
    }
  };

  private final String from;
  private final List<String> numbers;
  private final String condition;

  TextSearch(String from, List<String> numbers, String condition) {
    this.from = from;
    this.numbers = numbers;
    this.condition = condition;
  }

  /** The tables to read calls from that have words. */
  String from() {
    return from;
  }

  /** The columns with a call's number that are to be bounded. */
  List<String> numbers() {
    return numbers;
  }

  /** The condition with the place of {@link #query}. */
  String condition() {
    return condition;
  }

  /** What the database understands of {@code terms}: a call has all of them. */
  abstract String query(List<SearchWords.Term> terms);
}
