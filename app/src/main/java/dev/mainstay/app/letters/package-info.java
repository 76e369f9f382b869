/** {@code mainstay dead-letters}: a running gateway's admin API in the terminal. */
@NullMarked
package dev.mainstay.app.letters;

import org.jspecify.annotations.NullMarked;
