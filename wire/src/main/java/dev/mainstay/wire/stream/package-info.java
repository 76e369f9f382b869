/** What an answer says, event by event or whole. */
@NullMarked
package dev.mainstay.wire.stream;

import org.jspecify.annotations.NullMarked;
