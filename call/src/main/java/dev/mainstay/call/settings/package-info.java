/** How calls are carried out, as the configuration says it. */
@NullMarked
package dev.mainstay.call.settings;

import org.jspecify.annotations.NullMarked;
