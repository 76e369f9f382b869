/** What a run's journal says, and the state that it adds up to. Pure; no I/O. */
@NullMarked
package dev.mainstay.agent.journal;

import org.jspecify.annotations.NullMarked;
