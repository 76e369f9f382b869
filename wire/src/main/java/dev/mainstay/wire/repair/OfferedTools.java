package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a request says about tools and about the form of its answer: read once, when an answer has a
 * tool call in it or must be JSON. Immutable.
 */
public final class OfferedTools {
  private final Dialect dialect;
  private final Map<String, OfferedTool> tools;
  private final boolean open;
  private final boolean oneCallAtMost;
  private final ToolChoice choice;
  private final Set<String> allowed;
  private final AnswerFormat format;

  OfferedTools(
      Dialect dialect,
      Collection<OfferedTool> tools,
      boolean open,
      boolean oneCallAtMost,
      ToolChoice choice,
      Set<String> allowed,
      AnswerFormat format) {
    this.dialect = dialect;
    this.tools = new LinkedHashMap<>();
    for (var tool : tools) {
      this.tools.putIfAbsent(tool.name(), tool);
    }
    this.open = open;
    this.oneCallAtMost = oneCallAtMost;
    this.choice = choice;
    this.allowed = Set.copyOf(allowed);
    this.format = format;
  }

  /** Reads {@code body}, a request of {@code dialect}; what cannot be read offers nothing. */
  public static OfferedTools read(Dialect dialect, byte[] body) {
    return new OfferReader(dialect).read(body);
  }

  /** The dialect of the request. */
  public Dialect dialect() {
    return dialect;
  }

  /** The tools in the request's order, each name once. */
  public Collection<OfferedTool> all() {
    return java.util.Collections.unmodifiableCollection(tools.values());
  }

  /** The names of those whose input is any text. */
  public Set<String> custom() {
    return tools.values().stream()
        .filter(tool -> tool.kind() == OfferedTool.Kind.CUSTOM)
        .map(OfferedTool::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The tool of exactly that name. */
  public Optional<OfferedTool> find(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  /**
   * Whether the model may know tools that the request does not spell out (a cached prompt, a search
   * for tools): a name that is not here is then nobody's mistake.
   */
  public boolean open() {
    return open;
  }

  /** Whether the request wants no more than one call in a turn. */
  public boolean oneCallAtMost() {
    return oneCallAtMost;
  }

  public ToolChoice choice() {
    return choice;
  }

  /** The names the model may call where the request names some of its tools; else empty. */
  public Set<String> allowed() {
    return allowed;
  }

  /** What the text of the answer must be. */
  public AnswerFormat format() {
    return format;
  }
}
