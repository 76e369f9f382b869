package dev.mainstay.gateway.api;

import dev.mainstay.engine.CallFilters;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.Range;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What {@code GET /api/calls} can be asked: the parameters, and the query that they make. */
public final class CallParameters {
  private static final int PAGE = 100;
  private static final int LONGEST_TEXT = 200;

  /** A parameter's type and what it does. */
  private record Meaning(String type, String words) {}

  private static final Map<String, Meaning> ALL = all();

  private CallParameters() {}

  private static Map<String, Meaning> all() {
    var all = new LinkedHashMap<String, Meaning>();
    all.put("limit", new Meaning("integer", "calls per page, 1 to 1000; default 100"));
    all.put("cursor", text("next of the previous page"));
    all.put("from", text("only calls that started at this time or later: a day or an instant"));
    all.put("to", text("only calls that started before this time: an instant, or a day (its end)"));
    all.put("model", text("only calls that requested this model"));
    all.put("client", text("only calls of this client"));
    all.put("target", text("only calls that this provider/model answered"));
    all.put("status", new Meaning("integer", "only calls whose client received this HTTP status"));
    all.put("class", text("only calls whose verdict has this class"));
    all.put("kind", text("only calls whose verdict has this kind"));
    all.put("run", text("only calls of this run"));
    all.put("recovery", text("only calls that needed this recovery"));
    all.put(
        "failed",
        new Meaning("boolean", "true: only calls that ended in an error; false: only others"));
    all.put(
        "q",
        text(
            "only the call of this id, the calls of this run, or calls whose recorded bodies"
                + " contain all these words. Write word* for a prefix and a phrase in double"
                + " quotes. Words need the role operator"));
    Range.parameters(CallQuery.MEASURES, "calls")
        .forEach((name, words) -> all.put(name, new Meaning("number", words)));
    return all;
  }

  private static Meaning text(String words) {
    return new Meaning("string", words);
  }

  /** The route with these parameters. */
  public static Route describe(Route route) {
    var described = route;
    for (var each : ALL.entrySet()) {
      described = described.with(each.getKey(), each.getValue().type(), each.getValue().words());
    }
    return described;
  }

  /**
   * The query for filters that a command line gives.
   *
   * @throws IllegalArgumentException for one that there is not, or whose value is none of its own;
   *     says what would do
   */
  public static CallQuery query(Map<String, String> given) {
    try {
      for (var name : given.keySet()) {
        if (!ALL.containsKey(name)) {
          throw ApiException.invalid(
              "there is no filter " + name, ALL.keySet().toArray(String[]::new));
        }
      }
      return query(given::get);
    } catch (ApiException e) {
      throw new IllegalArgumentException(e.inWords(), e);
    }
  }

  /**
   * The query that a caller's parameters make, for ids alone.
   *
   * @throws ApiException for a value that is none of its parameter's
   */
  public static CallQuery query(Function<String, @Nullable String> given) {
    try {
      var query =
          CallQuery.newest(size(given.apply("limit")))
              .from(given.apply("cursor"))
              .between(
                  Times.of("from", given.apply("from"), false),
                  Times.of("to", given.apply("to"), true))
              .failed(failed(given.apply("failed")))
              .within(Range.of(CallQuery.MEASURES, given))
              .text(text("q", given.apply("q")));
      for (var field : Field.values()) {
        query = query.where(field, checked(field, given.apply(field.wireName())));
      }
      return query;
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(String.valueOf(e.getMessage()));
    }
  }

  /**
   * What to look for.
   *
   * @throws ApiException where it is longer than anything that can be found
   */
  public static @Nullable String text(String name, @Nullable String value) {
    if (value != null && value.length() > LONGEST_TEXT) {
      throw ApiException.invalid(
          "%s has %d characters, not at most %d".formatted(name, value.length(), LONGEST_TEXT));
    }
    return value;
  }

  public static int size(@Nullable String limit) {
    if (limit == null) {
      return PAGE;
    }
    int size = limit.matches("\\d{1,9}") ? Integer.parseInt(limit) : 0;
    if (size < 1 || size > CallQuery.MAX_LIMIT) {
      throw ApiException.invalid("limit is not " + limit, "1 to " + CallQuery.MAX_LIMIT);
    }
    return size;
  }

  private static @Nullable Boolean failed(@Nullable String text) {
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw ApiException.invalid("failed is not " + text, "true", "false");
    }
    return text == null ? null : (Boolean) text.equals("true");
  }

  private static @Nullable String checked(Field field, @Nullable String value) {
    if (value == null) {
      return null;
    }
    var read = CallFilters.read(field, value);
    if (read == null) {
      throw ApiException.invalid(
          field.wireName() + " is not " + value, CallFilters.allowed(field).toArray(String[]::new));
    }
    return read;
  }
}
