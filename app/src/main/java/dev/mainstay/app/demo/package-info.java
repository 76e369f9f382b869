/**
 * {@code mainstay demo}: faults on the real wire, what was decided about each and why, beside what
 * a plain client would have got.
 */
@NullMarked
package dev.mainstay.app.demo;

import org.jspecify.annotations.NullMarked;
