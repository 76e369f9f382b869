/**
 * Typed model requests, their events and their outcome: what an agent or a Java program speaks to
 * the engine.
 */
@NullMarked
package dev.mainstay.engine.model;

import org.jspecify.annotations.NullMarked;
