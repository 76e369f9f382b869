package dev.mainstay.call.settings;

/** When the arguments of a model's tool calls are checked against the tool's schema. */
public enum ToolSchemas {
  /** Where the request says {@code strict}. */
  STRICT,
  /** Always. */
  ALWAYS
}
