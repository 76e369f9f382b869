/** Telling people: what is worth an alert, and the signed webhook that carries it. */
@NullMarked
package dev.mainstay.gateway.alert;

import org.jspecify.annotations.NullMarked;
