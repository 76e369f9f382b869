/** Model calls over HTTP: the paths of each dialect, read into requests of the engine. */
@NullMarked
package dev.mainstay.gateway.endpoint;

import org.jspecify.annotations.NullMarked;
