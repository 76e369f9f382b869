package dev.mainstay.wire.request;

import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tools of a request that its provider runs itself, and how often it may: what a reservation of
 * money has to reckon with. A tool that is not known to be run by the client counts as one of them.
 *
 * @param tools in the order of the request; empty where it offers none
 * @param readings how often the model may read everything again, with results behind it; each time
 *     is at most all that it reads at once
 */
public record ServerTools(List<Tool> tools, long readings) {
  /**
   * One of them.
   *
   * @param name as the request writes it
   * @param fees what is paid for its use beside tokens
   * @param limit what sets a limit where one is missing, in words
   * @param unbounded whether nothing limits what its tokens come to
   */
  public record Tool(String name, List<Fee> fees, String limit, boolean unbounded) {}

  /**
   * What is paid for each use.
   *
   * @param most how often at most, or null where the request sets no limit
   */
  public record Fee(Unit unit, @Nullable Long most) {}

  public static final ServerTools NONE = new ServerTools(List.of(), 0);

  /** Reads {@code body}; one that cannot be read has none. */
  public static ServerTools of(Operation operation, byte[] body) {
    if (!operation.generates()) {
      return NONE;
    }
    var reader = new ServerToolsReader(operation);
    try {
      var walk = new JsonWalk(body);
      for (walk.object(); walk.field(); ) {
        reader.field(walk);
      }
    } catch (JsonWalk.Malformed e) {
      return NONE; // refused elsewhere
    }
    return reader.tools();
  }
}
