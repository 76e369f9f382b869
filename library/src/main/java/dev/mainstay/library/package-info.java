/**
 * For Java programs: wrap any call, leases for shared clients. Decisions are {@code core}'s; here
 * they are carried out blocking, asynchronously and over publishers. Depends on {@code core} alone,
 * and logs through {@code System.Logger}: each decision other than a first success, a program's own
 * listener that threw, settings that cannot be read.
 */
@NullMarked
package dev.mainstay.library;

import org.jspecify.annotations.NullMarked;
