@NullMarked
package dev.mainstay.app.crossing;

import org.jspecify.annotations.NullMarked;
