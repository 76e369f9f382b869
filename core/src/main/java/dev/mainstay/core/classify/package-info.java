/** From the facts to a verdict: rule tables per provider, general rules after them. */
@NullMarked
package dev.mainstay.core.classify;

import org.jspecify.annotations.NullMarked;
