/**
 * Going on with an answer that broke after part of it had reached the client: whether it may be
 * done, what is asked, and how what comes back is joined to what was delivered. Pure.
 */
@NullMarked
package dev.mainstay.wire.continuation;

import org.jspecify.annotations.NullMarked;
