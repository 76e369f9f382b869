/** For people's own tests: time that moves when it is told to. */
@NullMarked
package dev.mainstay.library.testing;

import org.jspecify.annotations.NullMarked;
