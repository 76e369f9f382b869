package dev.mainstay.call;

import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.http.Loops;
import dev.mainstay.http.UpstreamClient;

/** A provider at work: its client, its pool, its retry budget. Lives as long as its generation. */
final class Provider {
  final ProviderSpec spec;
  final UpstreamClient client;
  final KeyPool keys;
  final RetryBudget retries;

  Provider(ProviderSpec spec, Loops loops, double retryBudget) {
    this.spec = spec;
    client = UpstreamClient.create(spec.options(), loops);
    keys = new KeyPool(spec.name(), spec.keys());
    retries = new RetryBudget(retryBudget);
  }
}
