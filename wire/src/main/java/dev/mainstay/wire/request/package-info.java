/** What the gateway reads of a request, and the only edits it makes to one. */
@NullMarked
package dev.mainstay.wire.request;

import org.jspecify.annotations.NullMarked;
