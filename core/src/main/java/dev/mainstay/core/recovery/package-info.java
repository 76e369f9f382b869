/**
 * From a verdict and a policy to the next decision, for one call. What lasts longer than a call is
 * in {@code guard}; who carries a decision out is not known here.
 */
@NullMarked
package dev.mainstay.core.recovery;

import org.jspecify.annotations.NullMarked;
