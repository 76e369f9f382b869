/** What tokens cost: a dated table with a source for each row, and exact arithmetic. */
@NullMarked
package dev.mainstay.wire.money;

import org.jspecify.annotations.NullMarked;
