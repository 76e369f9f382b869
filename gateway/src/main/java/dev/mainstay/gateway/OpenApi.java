package dev.mainstay.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The admin API's own description. */
final class OpenApi {
  private OpenApi() {}

  /** OpenAPI 3.1, JSON. */
  static String text() {
    try (var in = OpenApi.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("openapi.json is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
