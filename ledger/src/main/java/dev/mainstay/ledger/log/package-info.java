/**
 * The log in front of every store: a call is appended to a memory-mapped file before its client has
 * the last byte, and one thread moves it to the store from there. A dirty page outlives the process
 * that wrote it, so a kill -9 loses nothing; a machine that loses power may lose the last seconds.
 * Nothing here knows which store it is.
 */
@NullMarked
package dev.mainstay.ledger.log;

import org.jspecify.annotations.NullMarked;
