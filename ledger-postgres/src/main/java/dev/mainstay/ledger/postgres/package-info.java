/** The ledger of any number of gateways, in PostgreSQL. */
@NullMarked
package dev.mainstay.ledger.postgres;

import org.jspecify.annotations.NullMarked;
