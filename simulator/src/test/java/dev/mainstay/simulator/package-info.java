@NullMarked
package dev.mainstay.simulator;

import org.jspecify.annotations.NullMarked;
