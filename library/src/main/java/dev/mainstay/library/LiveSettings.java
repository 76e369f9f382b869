package dev.mainstay.library;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.settings.Settings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings that are read again while the program runs. A change that cannot be meant is refused as
 * a whole: what was in force stays in force, and {@link #problem} says why. Thread-safe.
 */
public final class LiveSettings {
  /** How old settings may become before a call reads them again. */
  public static final Duration REREAD = Duration.ofSeconds(10);

  private static final System.Logger LOG = System.getLogger(LiveSettings.class.getName());

  private final Supplier<Map<String, String>> source;
  private final Timer timer;
  private final AtomicLong readAt;
  private volatile Settings settings;
  private volatile @Nullable String problem;

  /**
   * @param source names and values, asked anew at each reading
   * @throws InvalidPolicyException naming the variable, where the first reading cannot be meant
   */
  public LiveSettings(Supplier<Map<String, String>> source, Timer timer) {
    this.source = source;
    this.timer = timer;
    settings = Settings.from(source.get());
    readAt = new AtomicLong(timer.nanoTime());
  }

  /**
   * From the process's environment, and over it the system properties of the same settings, which
   * can be changed while it runs: {@code mainstay.retry.max-delay}, or the variable's own name,
   * over {@code MAINSTAY_RETRY_MAX_DELAY}.
   */
  public static LiveSettings ofSystem() {
    return new LiveSettings(LiveSettings::system, Timer.system());
  }

  private static Map<String, String> system() {
    var all = new HashMap<>(System.getenv());
    for (var name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("MAINSTAY_")) {
        all.put(name, System.getProperty(name, ""));
      } else if (name.startsWith("mainstay.")) {
        String variable = name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
        all.put(variable, System.getProperty(name, ""));
      }
    }
    return all;
  }

  /**
   * What is in force, with where each value came from; read again when older than {@link #REREAD}.
   */
  public Settings current() {
    long read = readAt.get();
    long now = timer.nanoTime();
    if (now - read >= REREAD.toNanos() && readAt.compareAndSet(read, now)) {
      reread();
    }
    return settings;
  }

  /** Reads again at once; answers whether what was read is in force. */
  public boolean reread() {
    readAt.set(timer.nanoTime());
    try {
      settings = Settings.from(source.get());
      problem = null;
      return true;
    } catch (InvalidPolicyException e) {
      String now = e.getMessage();
      if (!String.valueOf(now).equals(problem)) {
        LOG.log(System.Logger.Level.WARNING, "Mainstay keeps the settings in force: {0}", now);
      }
      problem = now;
      return false;
    }
  }

  /** Why the last reading was refused, or null where it was not. */
  public @Nullable String problem() {
    return problem;
  }
}
