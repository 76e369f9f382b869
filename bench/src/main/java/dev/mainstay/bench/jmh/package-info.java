/** Microbenchmarks, each beside a peer or a floor in the same run: {@code bench/run jmh}. */
@NullMarked
package dev.mainstay.bench.jmh;

import org.jspecify.annotations.NullMarked;
