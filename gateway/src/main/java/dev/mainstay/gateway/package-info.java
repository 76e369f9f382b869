/**
 * Clients in: who may, what they ask, the admin API, health and metrics. A call itself is made by
 * {@code call}; here it is begun, shared among those who asked for it, and answered.
 */
@NullMarked
package dev.mainstay.gateway;

import org.jspecify.annotations.NullMarked;
