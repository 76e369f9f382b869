/** The HTTP API of runs. */
@NullMarked
package dev.mainstay.agent.api;

import org.jspecify.annotations.NullMarked;
