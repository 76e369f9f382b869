/** Gemini generateContent. */
@NullMarked
package dev.mainstay.wire.gemini;

import org.jspecify.annotations.NullMarked;
