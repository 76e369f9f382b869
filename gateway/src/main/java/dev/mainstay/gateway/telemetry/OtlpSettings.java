package dev.mainstay.gateway.telemetry;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where spans go, by the variables that OpenTelemetry's own SDKs read
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
 *
 * @param endpoint the whole URL that spans are posted to
 * @param headers sent with each of those requests; may hold a token
 * @param resource what names this process; {@code service.name} is {@code mainstay} unless set
 * @param timeout of one request; default 10 s
 */
record OtlpSettings(
    URI endpoint, Map<String, String> headers, Map<String, String> resource, Duration timeout) {

  /** What the environment says, or null where it names no collector or switches tracing off. */
  static @Nullable OtlpSettings of(Map<String, String> environment) {
    var own = environment.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "");
    var base = environment.getOrDefault("OTEL_EXPORTER_OTLP_ENDPOINT", "");
    if ((own.isBlank() && base.isBlank())
        || "true".equalsIgnoreCase(environment.get("OTEL_SDK_DISABLED"))
        || "none".equals(environment.get("OTEL_TRACES_EXPORTER"))) {
      return null;
    }
    var headers = pairs(environment.getOrDefault("OTEL_EXPORTER_OTLP_HEADERS", ""));
    headers.putAll(pairs(environment.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "")));
    var resource = new LinkedHashMap<String, String>();
    resource.put("service.name", "mainstay");
    resource.putAll(pairs(environment.getOrDefault("OTEL_RESOURCE_ATTRIBUTES", "")));
    var service = environment.getOrDefault("OTEL_SERVICE_NAME", "");
    if (!service.isBlank()) {
      resource.put("service.name", service.strip());
    }
    return new OtlpSettings(
        own.isBlank() ? url(base.strip().replaceAll("/+$", "") + "/v1/traces") : url(own.strip()),
        headers,
        resource,
        timeout(environment.get("OTEL_EXPORTER_OTLP_TIMEOUT")));
  }

  private static URI url(String text) {
    try {
      var url = URI.create(text);
      if (("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
          && url.getHost() != null) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // Said below; its own message would repeat the text, which may hold a password.
    }
    throw new IllegalArgumentException(
        "OTEL_EXPORTER_OTLP_ENDPOINT is no http or https URL such as http://127.0.0.1:4318");
  }

  private static Duration timeout(@Nullable String millis) {
    var standard = Duration.ofSeconds(10);
    try {
      return millis == null || millis.isBlank()
          ? standard
          : Duration.ofMillis(Math.clamp(Long.parseLong(millis.strip()), 1, 600_000));
    } catch (NumberFormatException e) {
      return standard;
    }
  }

  private static Map<String, String> pairs(String text) {
    var pairs = new LinkedHashMap<String, String>();
    for (var pair : text.split(",")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        pairs.put(
            pair.substring(0, equals).strip(),
            URLDecoder.decode(
                pair.substring(equals + 1).strip().replace("+", "%2B"), StandardCharsets.UTF_8));
      }
    }
    return pairs;
  }

  @Override
  public String toString() {
    return "OtlpSettings[" + endpoint.getHost() + "]";
  }
}
