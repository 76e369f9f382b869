/**
 * What is kept of calls and attempts: the records, and the ports through which they are written and
 * read. Ports alone: {@code ledger-sqlite} implements them for one process. {@code state} is what
 * must survive rather than what happened.
 */
@NullMarked
package dev.mainstay.ledger;

import org.jspecify.annotations.NullMarked;
