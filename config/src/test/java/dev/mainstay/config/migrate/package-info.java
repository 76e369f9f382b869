@NullMarked
package dev.mainstay.config.migrate;

import org.jspecify.annotations.NullMarked;
