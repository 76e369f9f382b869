/**
 * Whole calls in virtual time: no socket, no thread, no real clock; each run repeats by its seed.
 */
@NullMarked
package dev.mainstay.call.simulation;

import org.jspecify.annotations.NullMarked;
