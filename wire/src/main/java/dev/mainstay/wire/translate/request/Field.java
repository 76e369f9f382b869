package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * What a setting is called in each dialect: the field's path, with other names that are read too
 * after a bar; null where the dialect has none.
 *
 * @param type the JSON type of its value, or null for what is more than one field
 * @param neutral the value, as JSON, that says no more than leaving the field out does, so that
 *     nothing is lost with it; null where every value says something
 */
public record Field(
    @Nullable Type type,
    @Nullable String chat,
    @Nullable String mistral,
    @Nullable String responses,
    @Nullable String anthropic,
    @Nullable String gemini,
    @Nullable String neutral) {

  /** The JSON type of a setting. */
  public enum Type {
    NUMBER,
    INTEGER,
    BOOLEAN,
    STRING,
    /** A string or a list of strings. */
    STRINGS,
    /** Passed on as it is between dialects that share it. */
    RAW
  }

  /** A field that no dialect has yet. */
  static Field of(Type type) {
    return new Field(type, null, null, null, null, null, null);
  }

  /** The same, with its path in OpenAI Chat. */
  Field chat(String path) {
    return new Field(type, path, mistral, responses, anthropic, gemini, neutral);
  }

  /** The same, with its path in Mistral. */
  Field mistral(String path) {
    return new Field(type, chat, path, responses, anthropic, gemini, neutral);
  }

  /** The same, with its path in OpenAI Responses. */
  Field responses(String path) {
    return new Field(type, chat, mistral, path, anthropic, gemini, neutral);
  }

  /** The same, with its path in Anthropic Messages. */
  Field anthropic(String path) {
    return new Field(type, chat, mistral, responses, path, gemini, neutral);
  }

  /** The same, with its path in Gemini. */
  Field gemini(String path) {
    return new Field(type, chat, mistral, responses, anthropic, path, neutral);
  }

  /** The same, with the value that says nothing. */
  Field neutral(String json) {
    return new Field(type, chat, mistral, responses, anthropic, gemini, json);
  }

  /** Its path in {@code dialect}, or null where it has none. */
  @Nullable String path(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT -> chat;
      case MISTRAL -> mistral;
      case OPENAI_RESPONSES -> responses;
      case ANTHROPIC -> anthropic;
      case GEMINI -> gemini;
    };
  }
}
