/** What many calls came to: sums and percentiles that can be added to each other. */
@NullMarked
package dev.mainstay.ledger.stats;

import org.jspecify.annotations.NullMarked;
