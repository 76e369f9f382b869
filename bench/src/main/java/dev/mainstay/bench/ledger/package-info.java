/** How long pages wait for a large ledger. */
@NullMarked
package dev.mainstay.bench.ledger;

import org.jspecify.annotations.NullMarked;
