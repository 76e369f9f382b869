/**
 * State that outlives one call: breakers, retry budgets, the memory of identical permanent
 * failures, the loop guard for agents. One call's own state is in {@code recovery}.
 */
@NullMarked
package dev.mainstay.core.guard;

import org.jspecify.annotations.NullMarked;
