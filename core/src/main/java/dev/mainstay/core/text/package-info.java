/** Text from outside, made fit for where people read it. */
@NullMarked
package dev.mainstay.core.text;

import org.jspecify.annotations.NullMarked;
