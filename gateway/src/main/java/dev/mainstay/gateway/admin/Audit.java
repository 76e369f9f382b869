package dev.mainstay.gateway.admin;

import static dev.mainstay.gateway.api.Route.Reply.ok;

import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Role;
import dev.mainstay.ledger.state.AuditLog;
import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes who did what, and gives it at {@code GET /api/audit}. */
public final class Audit {
  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
  private static final int LONGEST = 500;

  private final @Nullable DurableState state;
  private final InstantSource clock;

  public Audit(@Nullable DurableState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /** A page of what people did; {@code next} is the cursor of the next page, null on the last. */
  record AuditPage(List<Entry> entries, @Nullable String next) {}

  /** Something that a person did. */
  record Entry(Instant at, String who, String role, String action, String from) {}

  Route route() {
    return Route.get(
            "/api/audit",
            Role.ADMIN,
            "audit",
            "The audit log: who did what, newest first",
            (Route.Handler.Blocking) this::page)
        .with("limit", "integer", "entries per page, 1 to 1000; default 100")
        .with("cursor", "string", "next of the previous page")
        .gives(AuditPage.class);
  }

  private Route.Reply page(Route.ApiRequest asked) {
    var from = Cursors.state(state);
    int size = CallParameters.size(asked.query("limit"));
    var page =
        Cursors.page(
            Cursors.wait(
                from.audit()
                    .page(
                        Cursors.number("audit", asked.query("cursor"), Long.MAX_VALUE), size + 1)),
            size,
            entry -> Cursors.of("audit", entry.number()));
    return ok(
        new AuditPage(
            page.rows().stream()
                .map(e -> new Entry(e.at(), e.who(), e.role(), e.action(), e.from()))
                .toList(),
            page.next()));
  }

  /** Somebody who may is about to change something. */
  void add(String who, String role, String action, Exchange exchange) {
    var cut = action.length() > LONGEST ? action.substring(0, LONGEST) : action;
    var from = exchange.remote().getAddress().getHostAddress();
    if (state == null) {
      LOG.info("{} ({}) from {}: {}", who, role, from, cut);
      return;
    }
    state
        .audit()
        .add(new AuditLog.Entry(0, clock.instant(), who, role, cut, from))
        .whenComplete(
            (number, failed) -> {
              if (failed != null) {
                LOG.warn("{} ({}) from {}: {}; not in the audit log", who, role, from, cut);
              }
            });
  }
}
