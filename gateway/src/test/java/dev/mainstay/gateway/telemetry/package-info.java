@NullMarked
package dev.mainstay.gateway.telemetry;

import org.jspecify.annotations.NullMarked;
