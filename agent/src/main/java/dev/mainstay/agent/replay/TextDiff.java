package dev.mainstay.agent.replay;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Unified diffs of texts and of JSON, a field a line. */
public final class TextDiff {
  private static final int CONTEXT = 3;

  private TextDiff() {}

  /** From {@code a} to {@code b}; "" where they are equal. */
  public static String of(String aName, List<String> a, String bName, List<String> b) {
    return String.join(
        "\n", UnifiedDiffUtils.generateUnifiedDiff(aName, bName, a, DiffUtils.diff(a, b), CONTEXT));
  }

  /** As {@link #of}, of two texts. */
  public static String of(String aName, String a, String bName, String b) {
    return of(aName, a.lines().toList(), bName, b.lines().toList());
  }

  static String ofJson(String aName, byte[] a, String bName, byte[] b) {
    return of(aName, lines(a), bName, lines(b));
  }

  private static List<String> lines(byte[] json) {
    try {
      return lines(Tree.read(json, 0, json.length));
    } catch (JacksonException e) {
      return new String(json, StandardCharsets.UTF_8).lines().toList();
    }
  }

  /** {@code json} with a field a line. */
  public static List<String> lines(JsonNode json) {
    return json.toPrettyString().lines().toList();
  }
}
