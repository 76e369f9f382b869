/**
 * The facts of one attempt gone wrong, and how they are dug out of what wraps them. Nothing here
 * says what they mean: that is {@code classify}'s.
 */
@NullMarked
package dev.mainstay.core.failure;

import org.jspecify.annotations.NullMarked;
