/**
 * Gemini as far as the raw lane reads it: content, ending, usage. Requests and answers that cross
 * dialects are read in {@code translate.gemini}.
 */
@NullMarked
package dev.mainstay.wire.gemini;

import org.jspecify.annotations.NullMarked;
