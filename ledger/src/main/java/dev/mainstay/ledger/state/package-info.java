/**
 * What must survive the process: claims on idempotency keys and their answers, money reserved and
 * spent, calls that must not be lost, alerts not yet delivered. Ports alone.
 */
@NullMarked
package dev.mainstay.ledger.state;

import org.jspecify.annotations.NullMarked;
