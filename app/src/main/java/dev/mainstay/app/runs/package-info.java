/** {@code mainstay run} and {@code mainstay runs}. */
@NullMarked
package dev.mainstay.app.runs;

import org.jspecify.annotations.NullMarked;
