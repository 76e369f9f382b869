/**
 * Between dialects: one dialect's requests and answers read into shapes of their own, and written
 * in another. Used where a request crosses dialects, and where an answer that was cut goes on.
 */
@NullMarked
package dev.mainstay.wire.translate;

import org.jspecify.annotations.NullMarked;
