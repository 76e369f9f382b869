package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.api.CallParameters;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Flat;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/alerts}: alerts and how their delivery stands, the newest first. */
record AlertList(@Nullable DurableState state) {

  /** A page of alerts; {@code next} is the cursor of the next page, null on the last. */
  record Alerts(List<Alert> alerts, @Nullable String next) {}

  /**
   * An alert. Its JSON is flat.
   *
   * @param suppressed alerts of this cause that were throttled since the one before
   */
  record Alert(
      String id,
      String kind,
      String cause,
      String message,
      Instant raisedAt,
      int suppressed,
      @Flat Delivery delivery) {
    static Alert of(AlertLog.Alert alert) {
      return new Alert(
          alert.id(),
          alert.kind(),
          alert.cause(),
          alert.message(),
          alert.raisedAt(),
          alert.suppressed(),
          Delivery.of(alert.delivery()));
    }
  }

  /**
   * How the delivery of an alert stands.
   *
   * @param delivery {@code pending}, {@code delivered} or {@code failed}
   * @param tries deliveries tried
   * @param nextAt when it is tried next, or null
   * @param trouble why the last delivery failed, or null
   */
  record Delivery(String delivery, int tries, @Nullable Instant nextAt, @Nullable String trouble) {
    static Delivery of(AlertLog.Delivery stands) {
      return new Delivery(
          stands.state().name().toLowerCase(Locale.ROOT),
          stands.tries(),
          stands.nextAt(),
          stands.trouble());
    }
  }

  Route route() {
    return Route.get(
            "/api/alerts",
            Role.VIEWER,
            "listAlerts",
            "Alerts, newest first",
            (Route.Handler.Blocking) this::list)
        .with("limit", "integer", "alerts per page, 1 to 1000; default 100")
        .with("cursor", "string", "next of the previous page")
        .gives(Alerts.class);
  }

  private Route.Reply list(Route.ApiRequest asked) {
    int size = CallParameters.size(asked.query("limit"));
    var behind = Cursors.place("alerts", asked.query("cursor"));
    var found =
        Cursors.wait(
            Cursors.state(state).alerts().page(behind == null ? null : behind.run(), size + 1));
    var page =
        Cursors.page(found, size, each -> new Place(each.raisedAt(), each.id()).cursor("alerts"));
    return Route.Reply.ok(new Alerts(page.rows().stream().map(Alert::of).toList(), page.next()));
  }
}
