/** Gemini: requests and answers read into the shapes of no dialect, and written from them. */
@NullMarked
package dev.mainstay.wire.translate.gemini;

import org.jspecify.annotations.NullMarked;
