/** What who makes a call brings, and what a call tells: requests, recipients, services, budgets. */
@NullMarked
package dev.mainstay.call.api;

import org.jspecify.annotations.NullMarked;
