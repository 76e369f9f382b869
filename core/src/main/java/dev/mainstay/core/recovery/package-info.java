/** From a verdict and a policy to the next decision. */
@NullMarked
package dev.mainstay.core.recovery;

import org.jspecify.annotations.NullMarked;
