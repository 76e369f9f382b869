/** Runs of agents that are killed at every point, on both stores. */
@NullMarked
package dev.mainstay.app.durable;

import org.jspecify.annotations.NullMarked;
