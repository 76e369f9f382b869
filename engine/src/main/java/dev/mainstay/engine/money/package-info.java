/**
 * Budgets: reserved before a call, settled after it. Prices are {@code wire.money}'s, what is on
 * disk the ledger's.
 */
@NullMarked
package dev.mainstay.engine.money;

import org.jspecify.annotations.NullMarked;
