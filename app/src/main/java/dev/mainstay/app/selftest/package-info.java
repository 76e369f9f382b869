/** The fault catalogue against a user's own routes, with simulated providers in their place. */
@NullMarked
package dev.mainstay.app.selftest;

import org.jspecify.annotations.NullMarked;
