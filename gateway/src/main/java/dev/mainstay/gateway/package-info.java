/**
 * HTTP in: which part of the gateway answers a request, and the parts put together. The engine
 * makes the calls.
 */
@NullMarked
package dev.mainstay.gateway;

import org.jspecify.annotations.NullMarked;
