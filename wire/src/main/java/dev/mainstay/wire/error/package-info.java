/** Errors: read from any provider, written in the client's dialect, keys masked. */
@NullMarked
package dev.mainstay.wire.error;

import org.jspecify.annotations.NullMarked;
