/**
 * {@code mainstay selftest}: the fault catalogue played to a user's own routes, with simulated
 * providers in their place. Nothing of it leaves the machine.
 */
@NullMarked
package dev.mainstay.app.selftest;

import org.jspecify.annotations.NullMarked;
