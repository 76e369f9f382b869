/** Dialects, events, token and money counting. */
@NullMarked
package dev.mainstay.wire;

import org.jspecify.annotations.NullMarked;
