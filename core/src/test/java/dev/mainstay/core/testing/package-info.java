/** Seeded property tests. */
@NullMarked
package dev.mainstay.core.testing;

import org.jspecify.annotations.NullMarked;
