@NullMarked
package dev.mainstay.core.guard;

import org.jspecify.annotations.NullMarked;
