/** Where what is logged goes. */
@NullMarked
package dev.mainstay.app.log;

import org.jspecify.annotations.NullMarked;
