@NullMarked
package dev.mainstay.core.settings;

import org.jspecify.annotations.NullMarked;
