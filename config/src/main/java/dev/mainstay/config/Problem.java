package dev.mainstay.config;

/**
 * One mistake in a configuration.
 *
 * @param file the file's name
 * @param line from 1, or 0 where the mistake has no place
 * @param path the path to the value, for example {@code providers.openai.base-url}
 * @param found what stands there; never a secret
 * @param allowed what may stand there
 */
public record Problem(String file, int line, String path, String found, String allowed) {
  @Override
  public String toString() {
    var place = line > 0 ? file + ":" + line : file;
    return place + ": " + path + ": found " + found + "; allowed: " + allowed;
  }
}
