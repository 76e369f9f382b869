package dev.mainstay.agent.decide;

import java.util.regex.Pattern;

/** Models put JSON into a Markdown fence, whatever they are told. */
final class MarkdownFence {
  private static final Pattern OPEN = Pattern.compile("```(?:json)?[ \\t]*\\r?\\n?");

  private MarkdownFence() {}

  /** {@code text} without a fence around the whole of it. */
  static String without(String text) {
    var bare = text.strip();
    var open = OPEN.matcher(bare);
    return bare.endsWith("```") && open.lookingAt() && open.end() <= bare.length() - 3
        ? bare.substring(open.end(), bare.length() - 3).strip()
        : bare;
  }
}
