/** Settings from names and values, wherever those were read. */
@NullMarked
package dev.mainstay.core.settings;

import org.jspecify.annotations.NullMarked;
