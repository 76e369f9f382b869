/** How things look in a terminal: colours where there are any, tables that fit. */
@NullMarked
package dev.mainstay.app.terminal;

import org.jspecify.annotations.NullMarked;
