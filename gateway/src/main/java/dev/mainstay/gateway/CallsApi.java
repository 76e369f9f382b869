package dev.mainstay.gateway;

import static dev.mainstay.gateway.Route.Reply.ok;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /api/calls}. Blocks on the ledger. */
final class CallsApi {
  private static final int PAGE = 100;
  private static final String CALLS = "/api/calls";
  private static final int LONGEST_TEXT = 200;

  private final Supplier<LedgerReader> reader;
  private final TextAccess search;
  private final StateApi state;

  CallsApi(Supplier<LedgerReader> reader, TextAccess search, StateApi state) {
    this.reader = reader;
    this.search = search;
    this.state = state;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
                CALLS,
                Role.VIEWER,
                "listCalls",
                "Calls, by their end, newest first",
                (Route.Handler.Blocking) this::list)
            .with("limit", "integer", "calls per page, 1 to 1000; default 100")
            .with("cursor", "string", "next of the previous page")
            .with(
                "from",
                "string",
                "only calls that started at this time or later: a day or an instant")
            .with(
                "to",
                "string",
                "only calls that started before this time: an instant, or a day (its end)")
            .with("model", "string", "only calls that requested this model")
            .with("client", "string", "only calls of this client")
            .with("target", "string", "only calls that this provider/model answered")
            .with("status", "integer", "only calls whose client received this HTTP status")
            .with("class", "string", "only calls whose verdict has this class")
            .with("kind", "string", "only calls whose verdict has this kind")
            .with("run", "string", "only calls of this run")
            .with("recovery", "string", "only calls that needed this recovery")
            .with(
                "failed", "boolean", "true: only calls that ended in an error; false: only others")
            .with(
                "q",
                "string",
                "only the call of this id, the calls of this run, or calls whose recorded bodies"
                    + " contain all these words. Write word* for a prefix and a phrase in double"
                    + " quotes. Words need the role operator")
            .gives(CallJson.Calls.class),
        Route.get(
                CALLS + "/{id}",
                Role.VIEWER,
                "showCall",
                "A call with its attempts and its recorded bodies",
                (Route.Handler.Blocking) this::show)
            .gives(CallJson.Whole.class),
        Route.get(
            CALLS + "/{id}/bodies/{attempt}/{part}",
            Role.OPERATOR,
            "showBody",
            "The bytes of a body. Attempt 0 is the traffic between client and gateway; part is"
                + " request or response",
            (Route.Handler.Blocking) this::body));
  }

  private Route.Reply list(Route.ApiRequest asked) {
    try {
      return ok(CallJson.of(reader.get().calls(query(asked))));
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(String.valueOf(e.getMessage()));
    }
  }

  private CallQuery query(Route.ApiRequest asked) {
    var query =
        CallQuery.newest(size(asked.query("limit")))
            .from(asked.query("cursor"))
            .between(
                Times.of("from", asked.query("from"), false),
                Times.of("to", asked.query("to"), true))
            .failed(failed(asked.query("failed")))
            .text(text(asked.query("q")))
            .inBodies(search.allowed(asked.caller()));
    for (var field : Field.values()) {
      query = query.where(field, checked(field, asked.query(field.wireName())));
    }
    return query;
  }

  /**
   * What to look for.
   *
   * @throws ApiException where it is longer than anything that can be found
   */
  static @Nullable String text(@Nullable String q) {
    if (q != null && q.length() > LONGEST_TEXT) {
      throw ApiException.invalid(
          "q has %d characters; the limit is %d".formatted(q.length(), LONGEST_TEXT));
    }
    return q;
  }

  static int size(@Nullable String limit) {
    if (limit == null) {
      return PAGE;
    }
    if (!limit.matches("\\d{1,9}") || Integer.parseInt(limit) < 1) {
      throw ApiException.invalid("limit is not " + limit, "1 to " + CallQuery.MAX_LIMIT);
    }
    return Math.min(Integer.parseInt(limit), CallQuery.MAX_LIMIT);
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
    return switch (field) {
      case CLASS -> oneOf("class", value.toUpperCase(Locale.ROOT), CLASSES);
      case KIND -> oneOf("kind", value, KINDS);
      case STATUS -> {
        if (!value.matches("[1-5]\\d\\d")) {
          throw ApiException.invalid("status is not " + value, "100 to 599");
        }
        yield value;
      }
      case RECOVERY -> {
        if (!RECOVERIES.contains(value) && !value.startsWith("repair:")) {
          var allowed = new ArrayList<>(RECOVERIES);
          allowed.add("repair:NAME");
          throw ApiException.invalid("recovery is not " + value, allowed.toArray(String[]::new));
        }
        yield value;
      }
      case RUN, CLIENT, MODEL, TARGET -> value;
    };
  }

  private static final List<String> CLASSES = List.of("TRANSIENT", "LOGIC", "FATAL");
  private static final List<String> KINDS =
      Arrays.stream(Kind.values()).map(kind -> kind.name().toLowerCase(Locale.ROOT)).toList();
  private static final List<String> RECOVERIES =
      List.of("retry", "fallback", "continuation", "repair", "replay");

  private static String oneOf(String name, String value, List<String> allowed) {
    if (!allowed.contains(value)) {
      throw ApiException.invalid(name + " is not " + value, allowed.toArray(String[]::new));
    }
    return value;
  }

  private Route.Reply show(Route.ApiRequest asked) {
    var id = asked.segment("id");
    var kept = state.kept(id);
    var stored = stored(id);
    if (kept != null && !asked.caller().role().includes(Role.OPERATOR)) {
      kept.remove("answer");
    }
    if (stored == null) {
      if (kept == null) {
        throw ApiException.notFound("there is no call " + id);
      }
      return ok(kept);
    }
    var whole = CallJson.of(stored);
    if (kept == null) {
      return ok(whole);
    }
    var body = new LinkedHashMap<String, Object>(kept);
    body.put("call", whole.call());
    body.put("attempts", whole.attempts());
    body.put("bodies", whole.bodies());
    return ok(body);
  }

  /** A call that is kept for its client is known without a ledger too. */
  private @Nullable StoredCall stored(String id) {
    try {
      return reader.get().call(id);
    } catch (ApiException noLedger) {
      return null;
    }
  }

  private Route.Reply body(Route.ApiRequest asked) {
    var stored = reader.get().call(asked.segment("id"));
    if (stored != null) {
      for (var kept : stored.bodies()) {
        if (Integer.toString(kept.attempt()).equals(asked.segment("attempt"))
            && kept.part().wireName().equals(asked.segment("part"))) {
          return new Route.Reply(200, "application/octet-stream", read(kept));
        }
      }
    }
    throw ApiException.notFound("Mainstay has not kept this body");
  }

  private byte[] read(CallReader.StoredBody kept) {
    try {
      return reader.get().body(kept);
    } catch (LedgerException e) {
      throw ApiException.notFound("Mainstay has deleted this body");
    }
  }
}
