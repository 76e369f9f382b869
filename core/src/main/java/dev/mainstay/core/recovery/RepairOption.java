package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The repairs a policy allows, by their names in the configuration. {@link Repair#REFRESH_CLIENT}
 * is not among them: it changes nothing of the request and is always allowed, once.
 */
public enum RepairOption {
  /** A tool's name in an answer, where the intent is certain; needs no attempt. */
  TOOL_NAME(null),
  /** A tool call's arguments in an answer, where the intent is certain; needs no attempt. */
  TOOL_ARGUMENTS(null),
  TOOL_HISTORY(Repair.FIX_TOOL_HISTORY),
  DROP_PARAMETER(Repair.DROP_PARAMETER),
  LOWER_MAX_TOKENS(Repair.LOWER_MAX_TOKENS),
  STRIP_IMAGES(Repair.STRIP_IMAGES),
  SELF_CORRECT(Repair.SELF_CORRECT),
  /** For agents and programs that own their conversation; the gateway never shortens a client's. */
  TRIM_CONTEXT(Repair.TRIM_CONTEXT),
  /** For programs that can fetch a new token; the key pool serves the gateway instead. */
  REFRESH_CREDENTIALS(Repair.REFRESH_CREDENTIALS);

  /** Those that work only for agents and programs. */
  private static final Set<RepairOption> NOT_FOR_CLIENTS =
      EnumSet.of(TRIM_CONTEXT, REFRESH_CREDENTIALS);

  private final @Nullable Repair repair;
  private final String configName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  RepairOption(@Nullable Repair repair) {
    this.repair = repair;
  }

  /** The repair of a request that this allows, or null where it acts on answers. */
  public @Nullable Repair repair() {
    return repair;
  }

  /** The option that allows {@code repair}, or null where it is always allowed. */
  public static @Nullable RepairOption of(Repair repair) {
    for (var option : values()) {
      if (option.repair == repair) {
        return option;
      }
    }
    return null;
  }

  /** What people call {@code repair}: its name in the configuration where it has one. */
  public static String nameOf(Repair repair) {
    var option = of(repair);
    return option == null ? repair.wireName() : option.configName;
  }

  /** Whether it works for the requests of clients too, and not only for agents and programs. */
  public boolean isForClients() {
    return !NOT_FOR_CLIENTS.contains(this);
  }

  /** The name in the configuration, for example {@code tool-history}. */
  public String configName() {
    return configName;
  }
}
