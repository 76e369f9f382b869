/** Budgets: reserved before a call, settled after it. */
@NullMarked
package dev.mainstay.gateway.money;

import org.jspecify.annotations.NullMarked;
