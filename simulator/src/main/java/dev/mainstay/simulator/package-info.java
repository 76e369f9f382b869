/** Providers that fail on command. */
@NullMarked
package dev.mainstay.simulator;

import org.jspecify.annotations.NullMarked;
