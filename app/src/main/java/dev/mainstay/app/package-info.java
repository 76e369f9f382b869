/** Launcher, command line, wiring. */
@NullMarked
package dev.mainstay.app;

import org.jspecify.annotations.NullMarked;
