/** How a path of the admin API is described, matched, read and answered, whatever it is about. */
@NullMarked
package dev.mainstay.gateway.api;

import org.jspecify.annotations.NullMarked;
