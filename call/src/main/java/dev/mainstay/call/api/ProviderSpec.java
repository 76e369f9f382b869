package dev.mainstay.call.api;

import dev.mainstay.call.settings.RateLimits;
import dev.mainstay.http.UpstreamOptions;
import dev.mainstay.wire.Api;
import java.util.List;
import java.util.Map;

/**
 * A provider as one generation of the configuration has it. Its keys are in no text it prints.
 *
 * @param name its name in the configuration
 * @param api what it speaks
 * @param rules the name of the rules that its failures go through first
 * @param options how its client is made, base URL included
 * @param keys its pool; empty where it needs none
 * @param headers sent with every request to it, by lower-case name
 * @param limits what the account may do, shared by all calls
 */
public record ProviderSpec(
    String name,
    Api api,
    String rules,
    UpstreamOptions options,
    List<String> keys,
    Map<String, String> headers,
    RateLimits limits) {
  public ProviderSpec {
    keys = List.copyOf(keys);
    headers = Map.copyOf(headers);
  }

  @Override
  public String toString() {
    return "ProviderSpec[" + name + ", " + api.label() + ", " + keys.size() + " keys]";
  }
}
