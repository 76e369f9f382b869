/** State that outlives one call: breakers, retry budgets, poison memory, loop guards. */
@NullMarked
package dev.mainstay.core.guard;

import org.jspecify.annotations.NullMarked;
