/**
 * The embedded store: call records and durable state in SQLite, bodies in append-only segment
 * files. One thread writes records, another commits state in groups.
 */
@NullMarked
package dev.mainstay.ledger.sqlite;

import org.jspecify.annotations.NullMarked;
