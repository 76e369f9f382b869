/** {@code recording.redact}: what is taken out of bodies before they are kept. */
@NullMarked
package dev.mainstay.call.redact;

import org.jspecify.annotations.NullMarked;
