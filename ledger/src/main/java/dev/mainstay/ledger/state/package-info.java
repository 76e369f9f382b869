/**
 * What must survive the process: claims on idempotency keys and their answers, money reserved and
 * spent.
 */
@NullMarked
package dev.mainstay.ledger.state;

import org.jspecify.annotations.NullMarked;
