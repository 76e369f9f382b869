package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where alerts go; they are in the log and in the store besides. */
public record Alerts(
    @Setting(value = "The webhook that receives signed alerts.", optional = true)
        @Nullable Webhook webhook,
    @Setting(value = "A Slack channel.", optional = true) @Nullable Slack slack,
    @Setting(value = "Alerts by e-mail.", optional = true) @Nullable Email email,
    @Setting(
            value = "The kinds of alerts to send.",
            byDefault = "fatal,breaker,budget,spike,dead-letter,in-doubt,approval,retry-rate,slo")
        Set<Topic> on,
    @Setting(
            value = "Mainstay sends one alert per cause in this time and counts the rest.",
            byDefault = "10m")
        Duration throttle,
    @Setting(value = "When spending counts as a spike.", name = "cost-spike") Spike spike,
    @Setting(value = "The objectives for calls.", optional = true) @Nullable Slo slo) {
  public static final Alerts DEFAULTS = Declaration.defaults(Alerts.class);

  /** What can be told. */
  public enum Topic {
    FATAL,
    BREAKER,
    BUDGET,
    SPIKE,
    DEAD_LETTER,
    IN_DOUBT,
    APPROVAL,
    RETRY_RATE,
    SLO
  }

  /** Where alerts are posted. */
  public record Webhook(
      @Setting(
              value = "The address that alerts are posted to.",
              type = UrlTypes.HookUrl.class,
              required = true)
          URI url,
      @Setting(
              value = "The secret that signs every delivery.",
              type = SecretTypes.SecretText.class,
              required = true)
          Secret secret) {
    @Override
    public String toString() {
      return "Webhook[" + url.getHost() + "]";
    }
  }

  /** A Slack channel. */
  public record Slack(
      @Setting(
              value = "The incoming webhook that Slack made for the channel.",
              type = UrlTypes.HookUrl.class,
              required = true)
          URI url) {
    @Override
    public String toString() {
      return "Slack[" + url.getHost() + "]";
    }
  }

  /** Mail. */
  public record Email(
      @Setting(
              value = "The mail server, with user and password if it needs them.",
              type = UrlTypes.SmtpUrl.class,
              required = true)
          URI smtp,
      @Setting(value = "The sender's address.", type = ConfigTypes.Mailbox.class, required = true)
          MailAddress from,
      @Setting(
              value = "The recipients' addresses.",
              type = ConfigTypes.Mailbox.class,
              required = true)
          List<MailAddress> to) {
    @Override
    public String toString() {
      return "Email[" + smtp.getHost() + "]";
    }
  }

  /** Spending of the last window against a threshold, and the mean of the 24 before it. */
  public record Spike(
      @Setting(
              value = "Spending above the mean times this factor is a spike.",
              byDefault = "3",
              least = "1",
              most = "1000000")
          double factor,
      @Setting(
              value = "Spending below this is not a spike, in US dollars.",
              name = "at-least-usd",
              byDefault = "1",
              unit = "USD")
          long atLeastNanos,
      @Setting(
              value =
                  "The time over which Mainstay adds up spending, to compare it with the mean of"
                      + " the 24 such times before.",
              byDefault = "1h",
              least = "1ms")
          Duration window,
      @Setting(
              value = "Spending above this in a window is always a spike, in US dollars.",
              name = "above-usd",
              unit = "USD")
          @Nullable Long aboveNanos) {
    /**
     * Whether so much in one window is a spike.
     *
     * @param usual the mean of the windows before it, or null where it is not known yet
     */
    public boolean isSpike(long spent, @Nullable Long usual) {
      boolean above = aboveNanos != null && spent > aboveNanos;
      boolean unusual = usual != null && spent >= atLeastNanos && spent > usual * factor;
      return above || unusual;
    }
  }

  /** What calls should keep to. */
  public record Slo(
      @Setting(
              value = "The time within which 95 of 100 calls should have their first token.",
              name = "first-token-p95",
              least = "1ms")
          @Nullable Duration firstToken,
      @Setting(value = "The share of calls that should succeed.", least = "0", most = "1")
          @Nullable Double success,
      @Setting(
              value = "The time over which Mainstay measures both.",
              byDefault = "15m",
              least = "1m",
              most = "24h")
          Duration over) {}
}
