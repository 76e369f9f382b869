/**
 * {@code mainstay calls}: what the ledger holds, read from its directory or through a gateway that
 * runs. The JSON is the admin API's own.
 */
@NullMarked
package dev.mainstay.app.calls;

import org.jspecify.annotations.NullMarked;
