/**
 * Repairs: what a model's answer and a client's request can be changed into where the intent is
 * certain, so that the next attempt differs or none is needed. Pure functions over bytes; nothing
 * here throws on what a client or a model sent, and all of it is linear in what it reads but for
 * bounds stated where they apply.
 */
@NullMarked
package dev.mainstay.wire.repair;

import org.jspecify.annotations.NullMarked;
