/**
 * Durable runs of agents. A run is accepted once, journalled before it acts, and survives the death
 * of its process: its state is a pure function of its journal.
 */
@NullMarked
package dev.mainstay.agent;

import org.jspecify.annotations.NullMarked;
