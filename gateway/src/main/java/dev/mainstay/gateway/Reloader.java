package dev.mainstay.gateway;

import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigException;
import dev.mainstay.config.ConfigLoader;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * Reloads a gateway when its file changes, and on SIGHUP. A file that has mistakes changes nothing:
 * they are logged, and the gateway goes on as it was. The file's content is compared, not its time,
 * because editors and mounted volumes replace files in ways that no watcher sees alike.
 */
public final class Reloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);

  /** How often the file is looked at; reading a few kilobytes costs microseconds. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Gateway gateway;
  private final Path file;
  private final Map<String, String> environment;
  private final UnaryOperator<Config> adjust;
  private final Thread thread;
  private byte[] seen;

  /** Looks in a row that found no file. */
  private int absences;

  private Reloader(
      Gateway gateway, Path file, Map<String, String> environment, UnaryOperator<Config> adjust) {
    this.gateway = gateway;
    this.file = file;
    this.environment = environment;
    this.adjust = adjust;
    seen = content();
    thread = Thread.ofVirtual().name("mainstay-reload").unstarted(this::watch);
  }

  /**
   * Watches {@code file} until closed.
   *
   * @param environment what placeholders are filled from
   * @param adjust what the command line says over the file
   */
  public static Reloader watch(
      Gateway gateway, Path file, Map<String, String> environment, UnaryOperator<Config> adjust) {
    var reloader = new Reloader(gateway, file, environment, adjust);
    reloader.onSignal();
    reloader.thread.start();
    return reloader;
  }

  private void onSignal() {
    try {
      Signal.handle(new Signal("HUP"), signal -> Thread.startVirtualThread(this::signalled));
    } catch (IllegalArgumentException e) {
      LOG.debug("this system has no SIGHUP");
    }
  }

  private void watch() {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        Thread.sleep(INTERVAL);
      } catch (InterruptedException e) {
        return;
      }
      check();
    }
  }

  /** Looks at the file once; reloads if it has changed. */
  void check() {
    noteAbsence();
    if (see(content())) {
      reload();
      // It may name other files of rules now.
      see(content());
    }
  }

  /** One look without a file may be its replacement: two are its absence. */
  private synchronized void noteAbsence() {
    boolean absent = !Files.exists(file);
    absences = absent ? absences + 1 : 0;
    if (absences == 2) {
      LOG.warn("{} does not exist; the configuration read last stays in force", file);
    }
  }

  /** Whether {@code now} is another file than was seen last. */
  private synchronized boolean see(byte[] now) {
    // An empty read is a file that is being replaced: the next look will see it.
    boolean changed = now.length > 0 && !Arrays.equals(now, seen);
    if (changed) {
      seen = now;
    }
    return changed;
  }

  /** Reloads. The next look finds nothing new in what is in the file now. */
  void signalled() {
    reload();
    see(content());
  }

  private void reload() {
    try {
      gateway.reload(adjust.apply(ConfigLoader.load(file, environment)));
    } catch (ConfigException e) {
      e.problems().forEach(problem -> LOG.error("{}", problem));
      LOG.error("the configuration was not reloaded; the old one stays in force");
    } catch (IllegalArgumentException e) {
      LOG.error("the configuration was not reloaded: {}", e.getMessage());
    } catch (RuntimeException | StackOverflowError e) {
      // A bug of ours; the next change of the file must find its watcher at work.
      LOG.error("the configuration was not reloaded; the old one stays in force", e);
    }
  }

  /** The file, and the files of rules that it names. */
  private byte[] content() {
    try {
      var content = new ByteArrayOutputStream();
      content.writeBytes(ConfigLoader.bytes(file));
      for (var rules : content.size() == 0 ? List.<Path>of() : gateway.config().rules()) {
        content.writeBytes(Files.exists(rules) ? ConfigLoader.bytes(rules) : new byte[0]);
      }
      return content.toByteArray();
    } catch (ConfigException e) {
      // The message stands for the content: it is logged once, by the reload that it causes.
      return Files.exists(file)
          ? String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8)
          : new byte[0];
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
