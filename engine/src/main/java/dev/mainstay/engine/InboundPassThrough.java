package dev.mainstay.engine;

import dev.mainstay.call.passthrough.PassThroughRouter.ProviderPath;
import dev.mainstay.config.Client;
import dev.mainstay.config.Config;
import dev.mainstay.wire.Dialect;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that passes through, before the engine has routed it.
 *
 * @param id of the call
 * @param dialect in which errors are told
 * @param method as the client sent it
 * @param length bytes of its body, 0 for none, or -1 where the client does not say
 * @param record whether its bodies may be kept
 * @param origin who sent it
 * @param toProvider headers of the client that go on to the provider, by lower-case name
 * @param ways where it can go by a configuration, the usual way first; none where that has none
 */
public record InboundPassThrough(
    String id,
    Dialect dialect,
    String method,
    long length,
    boolean record,
    Origin origin,
    Map<String, String> toProvider,
    Function<Config, List<ProviderPath>> ways) {

  /**
   * Where a request comes from.
   *
   * @param client null where no keys are configured
   * @param path as the client asked; for the record
   * @param via the gateways that it has come through, or null
   * @param run the run it belongs to, or null
   * @param parent the call or step that made it, or null
   */
  public record Origin(
      @Nullable Client client,
      String path,
      @Nullable String via,
      @Nullable String run,
      @Nullable String parent) {
    String clientName() {
      return client == null ? "" : client.name();
    }
  }
}
