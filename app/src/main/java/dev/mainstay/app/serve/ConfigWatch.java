package dev.mainstay.app.serve;

import dev.mainstay.gateway.config.Config;
import dev.mainstay.gateway.config.ConfigException;
import dev.mainstay.gateway.config.ConfigLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * Hands on a configuration file whenever it has changed: seen by its time and size once a second,
 * which holds for editors that replace files and for mounted volumes alike, and at once on SIGHUP.
 * A file with mistakes is said to have them, and what is in force stays.
 */
final class ConfigWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Path file;
  private final Map<String, String> environment;
  private final Consumer<Config> apply;
  private @Nullable Seen seen;

  /** What a file looked like from outside. */
  private record Seen(FileTime time, long size) {}

  ConfigWatch(Path file, Map<String, String> environment, Consumer<Config> apply) {
    this.file = file;
    this.environment = environment;
    this.apply = apply;
    seen = look();
  }

  void start() {
    Thread.ofVirtual().name("mainstay-config").start(this::watch);
    try {
      Signal.handle(new Signal("HUP"), signal -> reload());
    } catch (IllegalArgumentException e) {
      LOG.info("SIGHUP is not known here: the configuration is reloaded when its file changes");
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(EVERY);
        reloadIfChanged();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the file has changed since the last look, and its configuration was tried. */
  synchronized boolean reloadIfChanged() {
    var now = look();
    if (now == null || now.equals(seen)) {
      return false;
    }
    seen = now;
    reload();
    return true;
  }

  private synchronized void reload() {
    try {
      apply.accept(ConfigLoader.load(file, environment));
    } catch (ConfigException e) {
      LOG.warn(
          "{} has changed and cannot be used; the configuration before it stays in force:\n{}",
          file,
          Configs.lines(e.problems()));
    } catch (RuntimeException e) {
      LOG.warn(
          "{} has changed and cannot be used; the configuration before it stays in force: {}",
          file,
          e.getMessage());
    }
  }

  /** Null while an editor is replacing the file. */
  private @Nullable Seen look() {
    try {
      return new Seen(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException e) {
      return null;
    }
  }
}
