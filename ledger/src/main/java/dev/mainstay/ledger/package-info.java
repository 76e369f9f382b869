/** What is kept of calls and attempts: embedded SQLite. */
@NullMarked
package dev.mainstay.ledger;

import org.jspecify.annotations.NullMarked;
