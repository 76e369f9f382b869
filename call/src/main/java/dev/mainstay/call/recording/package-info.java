/** What is told of a call: headers, errors, costs and rows. */
@NullMarked
package dev.mainstay.call.recording;

import org.jspecify.annotations.NullMarked;
