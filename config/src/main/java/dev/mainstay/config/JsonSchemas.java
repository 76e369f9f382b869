package dev.mainstay.config;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Whether a JSON Schema is one, by the meta-schema of draft 2020-12. Thread-safe. */
public final class JsonSchemas {
  private static final Schema META =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

  private JsonSchemas() {}

  /** The first mistake of {@code schema}, with its place in it; null where there is none. */
  public static @Nullable String mistake(JsonNode schema) {
    var errors = META.validate(schema);
    return errors.isEmpty() ? null : errors.getFirst().toString();
  }
}
