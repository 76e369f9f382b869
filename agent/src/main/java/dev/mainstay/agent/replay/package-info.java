/** Runs again: verified against their record, forked with something changed, compared. */
@NullMarked
package dev.mainstay.agent.replay;

import org.jspecify.annotations.NullMarked;
