/**
 * The launcher and the commands that need no gateway: {@code classify} and {@code simulate}. What a
 * command does lives in a package of its own below; nothing here decides anything.
 */
@NullMarked
package dev.mainstay.app;

import org.jspecify.annotations.NullMarked;
