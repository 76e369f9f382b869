package dev.mainstay.call.admission;

import dev.mainstay.call.upstream.Upstreams;

/**
 * The providers of one generation, and what is known of their targets. Thread-safe.
 *
 * @param upstreams the providers with their clients and keys
 * @param guards each target's breaker and slots
 */
public record ProviderState(Upstreams upstreams, Guards guards) {}
