/** One call carried out: attempts over targets under core's decisions. */
@NullMarked
package dev.mainstay.call;

import org.jspecify.annotations.NullMarked;
