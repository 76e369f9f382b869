/** Clients in: dialect faces, configuration, admin API. */
@NullMarked
package dev.mainstay.gateway;

import org.jspecify.annotations.NullMarked;
