/**
 * The embedded ledger: call records in SQLite, bodies in append-only segment files, one thread that
 * writes both.
 */
@NullMarked
package dev.mainstay.ledger.sqlite;

import org.jspecify.annotations.NullMarked;
