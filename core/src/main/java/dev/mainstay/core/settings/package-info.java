/**
 * Settings from {@code MAINSTAY_*} names and values, wherever those were read, over the defaults or
 * a preset. The gateway's YAML is read by {@code config}.
 */
@NullMarked
package dev.mainstay.core.settings;

import org.jspecify.annotations.NullMarked;
