/** An answer on its way to the client: held, checked, repaired, translated, relayed. */
@NullMarked
package dev.mainstay.call.answer;

import org.jspecify.annotations.NullMarked;
