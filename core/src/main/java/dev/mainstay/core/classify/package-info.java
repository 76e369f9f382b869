/**
 * From the facts to a verdict: rule tables per provider, general rules after them. What is done
 * about a verdict is {@code recovery}'s.
 */
@NullMarked
package dev.mainstay.core.classify;

import org.jspecify.annotations.NullMarked;
