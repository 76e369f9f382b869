package dev.mainstay.config;

import dev.mainstay.call.redact.Redaction;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code recording}. */
final class RecordingReader {
  /** Less would not hold one segment's beginning and the rows that point into it. */
  static final long LEAST_BYTES = 1 << 20;

  private RecordingReader() {}

  static Config.Recording read(Section section) {
    var defaults = Config.Recording.DEFAULTS;
    boolean bodies = section.bool("bodies", defaults.bodies());
    var retention = section.duration("retention", defaults.retention());
    if (!retention.isPositive()) {
      section.problem("retention", "\"0\"", "a duration above 0; bodies: false keeps no bodies");
      retention = defaults.retention();
    }
    long maxBytes = section.size("max-bytes", defaults.maxBytes());
    if (maxBytes < LEAST_BYTES) {
      section.problem("max-bytes", maxBytes + " bytes", "1MiB or more");
      maxBytes = defaults.maxBytes();
    }
    var redact = new ArrayList<String>();
    for (var element : section.elements("redact")) {
      var rule = element.text();
      if (rule != null && isRule(element, rule)) {
        redact.add(rule);
      }
    }
    section.finish();
    return new Config.Recording(bodies, retention, maxBytes, redact);
  }

  private static boolean isRule(Section.Element element, String rule) {
    try {
      Redaction.of(List.of(rule));
      return true;
    } catch (IllegalArgumentException e) {
      element.problem(
          "\"" + rule + "\": " + e.getMessage(),
          "a path such as $.messages[*].content or $..email, or a pattern such as /[0-9]{16}/");
      return false;
    }
  }
}
