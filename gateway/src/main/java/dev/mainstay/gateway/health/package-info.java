/** Health and metrics of this process. */
@NullMarked
package dev.mainstay.gateway.health;

import org.jspecify.annotations.NullMarked;
