package dev.mainstay.app.serve;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.config.Recording;
import dev.mainstay.config.Store;
import dev.mainstay.wire.Api;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a gateway that has started says: where it is, what it serves, what to do next. */
final class Banner {
  private static final Map<Api, String> SDKS = sdks();

  private Banner() {}

  static void print(Config config, String address, PrintWriter out, Style style) {
    out.println(style.bold("Mainstay is ready on " + address));
    out.println();
    line(
        out,
        "providers",
        config.providers().values().stream()
            .map(
                p ->
                    p.name()
                        + style.faint(
                            " (%s, %s)".formatted(p.api().label(), keys(p.keys().size()))))
            .collect(Collectors.joining(", ")));
    if (config.models().isEmpty()) {
      line(out, "models", "any model of these providers, as provider/model");
    } else {
      var name = "models";
      for (var model : config.models().values()) {
        line(
            out,
            name,
            model.name()
                + style.faint(" = ")
                + model.targets().stream()
                    .map(t -> t.target().toString())
                    .collect(Collectors.joining(style.faint(", then "))));
        name = "";
      }
      line(out, "", style.faint("and any model of the providers, as provider/model"));
    }
    line(
        out,
        "ledger",
        "%s%s".formatted(Ledgers.shown(config.store()), style.faint(kept(config.recording()))));
    line(
        out,
        "clients",
        config.clients().isEmpty()
            ? "every program on this machine"
            : config.clients().stream().map(Client::name).collect(Collectors.joining(", ")));
    if (!config.agents().isEmpty()) {
      line(out, "agents", String.join(", ", config.agents().keySet()));
    }
    line(out, "studio", style.accent(address + "/"));
    out.println();
    out.println("Point an SDK at it by its base URL, and change nothing else:");
    for (var sdk : SDKS.entrySet()) {
      if (config.providers().values().stream().anyMatch(p -> p.api() == sdk.getKey())) {
        line(out, name(sdk.getKey()), style.accent(address + sdk.getValue()));
      }
    }
    out.println();
    out.println("See what it does: mainstay calls ls" + where(config.store()));
    out.flush();
  }

  /** What {@code calls} must be told to find a store that is not the usual one. */
  private static String where(Store store) {
    return store.url().equals(Store.DEFAULTS.url()) ? "" : " --store " + Ledgers.shown(store);
  }

  private static String kept(Recording recording) {
    return String.format(
        Locale.ROOT,
        " (%d days, at most %.1f GiB, %s)",
        recording.retention().toDays(),
        recording.maxBytes() / (double) (1L << 30),
        recording.bodies() ? "with bodies" : "without bodies");
  }

  private static String keys(int count) {
    return count == 0 ? "no key" : count == 1 ? "1 key" : count + " keys";
  }

  private static void line(PrintWriter out, String name, String value) {
    out.printf("  %-11s %s%n", name, value);
  }

  private static String name(Api api) {
    return switch (api) {
      case OPENAI -> "OpenAI";
      case ANTHROPIC -> "Anthropic";
      case MISTRAL -> "Mistral";
      case GEMINI -> "Gemini";
    };
  }

  private static Map<Api, String> sdks() {
    var paths = new EnumMap<Api, String>(Api.class);
    paths.put(Api.OPENAI, "/v1");
    paths.put(Api.ANTHROPIC, "");
    paths.put(Api.MISTRAL, "");
    paths.put(Api.GEMINI, "");
    return paths;
  }
}
