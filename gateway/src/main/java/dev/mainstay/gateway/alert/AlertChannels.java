package dev.mainstay.gateway.alert;

import dev.mainstay.config.Alerts;
import dev.mainstay.http.HttpPost;
import dev.mainstay.http.SignedPost;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The channels that the configuration names, made anew when it changes. */
final class AlertChannels implements AutoCloseable {
  private final InstantSource clock;
  private final HttpPost http = new HttpPost();
  private @Nullable Alerts made;
  private List<AlertChannel> channels = List.of();

  AlertChannels(InstantSource clock) {
    this.clock = clock;
  }

  /** The channels of {@code config}; empty where it names none. */
  List<AlertChannel> of(Alerts config) {
    if (!config.equals(made)) {
      channels = make(config);
      made = config;
    }
    return channels;
  }

  private List<AlertChannel> make(Alerts config) {
    var all = new ArrayList<AlertChannel>(3);
    var webhook = config.webhook();
    if (webhook != null) {
      all.add(new WebhookChannel(webhook, new SignedPost(http, clock)));
    }
    var slack = config.slack();
    if (slack != null) {
      all.add(new SlackChannel(slack, http));
    }
    var email = config.email();
    if (email != null) {
      all.add(new EmailChannel(email));
    }
    return List.copyOf(all);
  }

  @Override
  public void close() {
    http.close();
  }
}
