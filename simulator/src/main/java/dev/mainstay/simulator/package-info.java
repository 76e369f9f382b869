/**
 * Providers that fail on command, in every dialect, on real sockets. Shares no code with {@code
 * wire}, so that one checks the other.
 */
@NullMarked
package dev.mainstay.simulator;

import org.jspecify.annotations.NullMarked;
