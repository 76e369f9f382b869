/** What the two stores do in a second. */
@NullMarked
package dev.mainstay.bench.store;

import org.jspecify.annotations.NullMarked;
