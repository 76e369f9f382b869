/**
 * Wire formats: what is read of requests and answers, in bytes, and how errors are written. Knows
 * neither HTTP nor Netty.
 */
@NullMarked
package dev.mainstay.wire;

import org.jspecify.annotations.NullMarked;
