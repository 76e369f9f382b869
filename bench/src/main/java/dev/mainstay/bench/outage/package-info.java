/**
 * A simulation of clients going through a provider's outage and recovery, deterministic by seed: it
 * shows what each way of retrying does to the provider's load and to the answers people get.
 */
@NullMarked
package dev.mainstay.bench.outage;

import org.jspecify.annotations.NullMarked;
