/**
 * The ports of {@code dev.mainstay.ledger.state} and {@code run} in SQL that SQLite and PostgreSQL
 * both speak. What the two databases differ in is {@link dev.mainstay.ledger.sql.Database}.
 */
@NullMarked
package dev.mainstay.ledger.sql;

import org.jspecify.annotations.NullMarked;
