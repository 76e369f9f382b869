/** Netty, both sides: server, owned client pools, SSE framing. */
@NullMarked
package dev.mainstay.http;

import org.jspecify.annotations.NullMarked;
