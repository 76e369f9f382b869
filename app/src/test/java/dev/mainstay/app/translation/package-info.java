@NullMarked
package dev.mainstay.app.translation;

import org.jspecify.annotations.NullMarked;
