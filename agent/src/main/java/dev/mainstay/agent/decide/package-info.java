/** What a run does next: pure functions of its state and of the time. No I/O. */
@NullMarked
package dev.mainstay.agent.decide;

import org.jspecify.annotations.NullMarked;
