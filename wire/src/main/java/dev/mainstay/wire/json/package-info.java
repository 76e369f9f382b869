/** Walking JSON bytes without building a tree, and cutting spans out of them. */
@NullMarked
package dev.mainstay.wire.json;

import org.jspecify.annotations.NullMarked;
