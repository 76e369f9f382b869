package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import tools.jackson.databind.JsonNode;

/**
 * A proof of reasoning that its own dialect alone can read; sent back to it, and to no other.
 *
 * @param value as {@link dev.mainstay.wire.translate.Delta.ReasoningSeal} has it
 */
public record Seal(Dialect of, JsonNode value) {}
