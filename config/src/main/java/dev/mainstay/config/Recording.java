package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;
import java.util.List;

/** What is kept of calls. */
public record Recording(
    @Setting(
            value =
                "Whether Mainstay keeps bodies and the text of providers' errors. Without them,"
                    + " or with `redact`, Mainstay purges a run's journal when the run ends.",
            byDefault = "true")
        boolean bodies,
    @Setting(
            value =
                "The paths and patterns that Mainstay removes from bodies before it writes them"
                    + " to disk.",
            type = ConfigTypes.RedactionRule.class)
        List<String> redact,
    @Setting(
            value = "The age at which Mainstay deletes calls and bodies.",
            byDefault = "30d",
            least = "1ms")
        Duration retention,
    @Setting(
            value = "The size beyond which Mainstay deletes the oldest calls and bodies.",
            byDefault = "20GiB",
            unit = "bytes",
            least = "1MiB")
        long maxBytes,
    @Setting(value = "Whether you can search for words in the kept bodies.", byDefault = "true")
        boolean search) {
  public static final Recording DEFAULTS = Declaration.defaults(Recording.class);
}
