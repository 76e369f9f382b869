package dev.mainstay.agent.journal;

import dev.mainstay.ledger.run.RunStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Journal entries as JSON. An entry's kind is its type's name: {@code turn_started}. */
public final class JournalJson {
  /** Fields that a later version adds do not stop an earlier one. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private static final Map<String, Class<?>> KINDS =
      Arrays.stream(JournalEntry.class.getPermittedSubclasses())
          .collect(Collectors.toMap(JournalJson::kind, Function.identity()));

  private JournalJson() {}

  /** The kind of the entries of that type. */
  public static String kind(Class<?> type) {
    return type.getSimpleName().replaceAll("(?<=.)([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** The kind of {@code entry}, as it is stored and shown. */
  public static String kind(JournalEntry entry) {
    return kind(entry.getClass());
  }

  /** {@code value} as JSON. */
  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** {@code entry} as the store keeps it. */
  public static RunStore.Entry stored(JournalEntry entry) {
    return new RunStore.Entry(kind(entry), write(entry).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The entry that {@code stored} holds.
   *
   * @throws IllegalStateException where this version does not know it
   */
  public static JournalEntry read(RunStore.Entry stored) {
    var type = KINDS.get(stored.kind());
    if (type == null) {
      throw new IllegalStateException(
          "this version of Mainstay does not know the journal entry " + stored.kind());
    }
    try {
      return (JournalEntry) MAPPER.readValue(stored.payload(), type);
    } catch (JacksonException e) {
      throw new IllegalStateException("a journal entry cannot be read: " + stored.kind(), e);
    }
  }
}
