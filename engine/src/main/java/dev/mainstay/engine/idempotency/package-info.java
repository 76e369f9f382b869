/** One answer for several requests: joining a call under way, and giving a stored answer again. */
@NullMarked
package dev.mainstay.engine.idempotency;

import org.jspecify.annotations.NullMarked;
