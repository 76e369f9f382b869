/** Streams broken at every point and in every way, and what the client then has. */
@NullMarked
package dev.mainstay.app.broken;

import org.jspecify.annotations.NullMarked;
