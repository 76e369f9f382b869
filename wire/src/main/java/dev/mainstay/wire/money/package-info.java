/**
 * What tokens cost: a dated table with a source for each row, and exact arithmetic in pico-dollars.
 * An unknown price stays unknown. Budgets are the gateway's.
 */
@NullMarked
package dev.mainstay.wire.money;

import org.jspecify.annotations.NullMarked;
