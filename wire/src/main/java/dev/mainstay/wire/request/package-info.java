/**
 * What the gateway reads of a request, and the only edits it makes to one that stays in its
 * dialect. One that crosses is read whole, in {@code translate}.
 */
@NullMarked
package dev.mainstay.wire.request;

import org.jspecify.annotations.NullMarked;
