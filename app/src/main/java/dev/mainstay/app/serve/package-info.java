/**
 * {@code mainstay serve} and {@code mainstay config}: the gateway with its ledger, and what it is
 * told.
 */
@NullMarked
package dev.mainstay.app.serve;

import org.jspecify.annotations.NullMarked;
