/**
 * What is kept of agents' runs: the queue, the leases on runs, their journals and what people
 * decide about them. Ports alone.
 */
@NullMarked
package dev.mainstay.ledger.run;

import org.jspecify.annotations.NullMarked;
