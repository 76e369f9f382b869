/**
 * Anthropic Messages as far as the raw lane reads it: content, ending, usage. Requests and answers
 * that cross dialects are read in {@code translate.anthropic}.
 */
@NullMarked
package dev.mainstay.wire.anthropic;

import org.jspecify.annotations.NullMarked;
