@NullMarked
package dev.mainstay.simulator.junit;

import org.jspecify.annotations.NullMarked;
