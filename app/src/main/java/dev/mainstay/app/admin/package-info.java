/**
 * {@code mainstay breakers} and {@code mainstay dead-letters}, and the admin API of a gateway that
 * runs as every command asks it. Calls have a package of their own: they are read from disk too.
 */
@NullMarked
package dev.mainstay.app.admin;

import org.jspecify.annotations.NullMarked;
