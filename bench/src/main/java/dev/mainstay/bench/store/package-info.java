/** What the two stores do in a second, and what a durable run costs. */
@NullMarked
package dev.mainstay.bench.store;

import org.jspecify.annotations.NullMarked;
