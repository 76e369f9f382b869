@NullMarked
package dev.mainstay.core.recovery;

import org.jspecify.annotations.NullMarked;
