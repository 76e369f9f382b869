/** HTTP/1.1 on Netty, both sides: a server, and client pools that are owned. */
@NullMarked
package dev.mainstay.http;

import org.jspecify.annotations.NullMarked;
