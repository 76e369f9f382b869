/** Anthropic Messages. */
@NullMarked
package dev.mainstay.wire.anthropic;

import org.jspecify.annotations.NullMarked;
