package dev.mainstay.agent;

import dev.mainstay.config.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads files of instructions, each time anew, so that a change holds from the next run on. One
 * that can no longer be read holds as it was read last: no file may stop the other agents.
 * Thread-safe.
 */
public final class InstructionFiles {
  private static final Logger LOG = LoggerFactory.getLogger(InstructionFiles.class);

  private final Map<Path, String> texts = new ConcurrentHashMap<>();
  private final Set<Path> lost = ConcurrentHashMap.newKeySet();

  /** The files that the agents of {@code config} name, read once. */
  public static InstructionFiles of(Config config) {
    var files = new InstructionFiles();
    for (var agent : config.agents().values()) {
      var instructions = agent.instructions();
      if (instructions != null && instructions.file() != null) {
        files.look(instructions.file());
      }
    }
    return files;
  }

  /**
   * The text of {@code file}.
   *
   * @throws UncheckedIOException where it cannot be read and never was
   */
  String read(Path file) {
    look(file);
    var text = texts.get(file);
    if (text == null) {
      throw new UncheckedIOException(new IOException("the instructions cannot be read: " + file));
    }
    return text;
  }

  private void look(Path file) {
    try {
      texts.put(file, Files.readString(file));
      if (lost.remove(file)) {
        LOG.info("Mainstay reads the instructions in {} again", file);
      }
    } catch (IOException e) {
      if (lost.add(file)) {
        LOG.warn("Mainstay cannot read the instructions in {}; those read last hold", file);
      }
    }
  }
}
