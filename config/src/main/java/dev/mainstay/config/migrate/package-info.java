/** Writes a configuration of Mainstay's from the configuration of another gateway. */
@NullMarked
package dev.mainstay.config.migrate;

import org.jspecify.annotations.NullMarked;
