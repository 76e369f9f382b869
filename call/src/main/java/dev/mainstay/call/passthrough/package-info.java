/** Requests that pass through unread. */
@NullMarked
package dev.mainstay.call.passthrough;

import org.jspecify.annotations.NullMarked;
