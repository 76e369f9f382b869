/**
 * For Java programs: wrap any call, leases for shared clients. Decisions are {@code core}'s; here
 * they are carried out blocking, asynchronously and over publishers. Depends on {@code core} alone;
 * what little it logs (a program's own listener that threw, settings that cannot be read) goes
 * through {@code System.Logger}.
 */
@NullMarked
package dev.mainstay.library;

import org.jspecify.annotations.NullMarked;
