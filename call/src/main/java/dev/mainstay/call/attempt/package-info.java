/** One upstream request, and the reading of what comes back. */
@NullMarked
package dev.mainstay.call.attempt;

import org.jspecify.annotations.NullMarked;
