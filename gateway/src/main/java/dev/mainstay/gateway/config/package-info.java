/** The configuration: YAML with placeholders into checked records, every mistake with its place. */
@NullMarked
package dev.mainstay.gateway.config;

import org.jspecify.annotations.NullMarked;
