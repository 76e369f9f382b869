/**
 * The gateway against nginx, both in front of one nginx that plays the provider: {@code bench/run
 * proxy}.
 */
@NullMarked
package dev.mainstay.bench.proxy;

import org.jspecify.annotations.NullMarked;
