package dev.mainstay.wire.continuation;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;

/**
 * Where a request for the rest of an answer goes.
 *
 * @param api the kind of API
 * @param dialect of the request that is sent there
 * @param baseUrl the provider's, as it is configured
 * @param model the target's model
 */
public record Destination(Api api, Dialect dialect, String baseUrl, String model) {}
