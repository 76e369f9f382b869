/** Server-Sent Events over bytes that arrive in any pieces. */
@NullMarked
package dev.mainstay.wire.sse;

import org.jspecify.annotations.NullMarked;
