/** {@code mainstay export}: what a gateway keeps, as a file for other programs. */
@NullMarked
package dev.mainstay.app.export;

import org.jspecify.annotations.NullMarked;
