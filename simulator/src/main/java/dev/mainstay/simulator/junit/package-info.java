/**
 * The simulator in JUnit tests. Needs {@code junit-jupiter-api} on the class path, which the rest
 * of the simulator does not.
 */
@NullMarked
package dev.mainstay.simulator.junit;

import org.jspecify.annotations.NullMarked;
