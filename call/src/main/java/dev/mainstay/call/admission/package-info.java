/** What an attempt must have before it is made: a place, an admission, a key, money. */
@NullMarked
package dev.mainstay.call.admission;

import org.jspecify.annotations.NullMarked;
