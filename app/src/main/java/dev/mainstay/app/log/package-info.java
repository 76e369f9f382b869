/**
 * Where what is logged goes, and its form: text or JSON lines. The library and {@code core} log
 * nothing.
 */
@NullMarked
package dev.mainstay.app.log;

import org.jspecify.annotations.NullMarked;
