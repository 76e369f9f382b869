/**
 * The request as each target gets it, with its repairs, and what is asked to go on with an answer.
 */
@NullMarked
package dev.mainstay.call.request;

import org.jspecify.annotations.NullMarked;
