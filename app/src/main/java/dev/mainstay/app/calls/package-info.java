/** {@code mainstay calls}: what the ledger holds, in the terminal. */
@NullMarked
package dev.mainstay.app.calls;

import org.jspecify.annotations.NullMarked;
