/** A provider at work: its client, its keys, its account's limits, and what it must not show. */
@NullMarked
package dev.mainstay.call.upstream;

import org.jspecify.annotations.NullMarked;
