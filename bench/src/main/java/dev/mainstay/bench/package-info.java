/** JMH benchmarks and the outage simulation. */
@NullMarked
package dev.mainstay.bench;

import org.jspecify.annotations.NullMarked;
