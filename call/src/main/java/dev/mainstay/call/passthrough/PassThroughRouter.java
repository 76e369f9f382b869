package dev.mainstay.call.passthrough;

import dev.mainstay.call.api.ObjectBinding;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Says where one request goes, once it is known which objects its body names. */
@FunctionalInterface
public interface PassThroughRouter {
  /**
   * A way to a provider.
   *
   * @param path what follows the provider's base URL, with the query
   * @param self what a client puts before a path at the provider to reach it through this gateway
   */
  record ProviderPath(String provider, String path, String self) {}

  /** Where a request goes. */
  sealed interface Destination {
    /**
     * To a provider.
     *
     * @param makes whether the answer tells of objects that the provider keeps from now on
     */
    record To(ProviderPath way, ObjectBinding objects, boolean makes) implements Destination {}

    /**
     * Nowhere.
     *
     * @param answer tells the client, and records that
     */
    record Refused(Runnable answer) implements Destination {}
  }

  /**
   * Finds the way of the request.
   *
   * @param named ids in its body
   * @return on any thread, and never a failure
   */
  CompletionStage<Destination> route(List<String> named);
}
