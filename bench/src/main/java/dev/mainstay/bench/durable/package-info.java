/** What a durable run costs beside the same loop in plain Java. */
@NullMarked
package dev.mainstay.bench.durable;

import org.jspecify.annotations.NullMarked;
