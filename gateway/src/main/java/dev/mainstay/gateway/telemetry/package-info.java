/**
 * What leaves the gateway about its calls while they happen: spans and log lines, never content.
 */
@NullMarked
package dev.mainstay.gateway.telemetry;

import org.jspecify.annotations.NullMarked;
