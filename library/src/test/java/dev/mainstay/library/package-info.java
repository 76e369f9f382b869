@NullMarked
package dev.mainstay.library;

import org.jspecify.annotations.NullMarked;
