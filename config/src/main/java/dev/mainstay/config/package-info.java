/**
 * The configuration: YAML with placeholders into checked records, every mistake with its place.
 * Nothing here acts on a setting.
 */
@NullMarked
package dev.mainstay.config;

import org.jspecify.annotations.NullMarked;
