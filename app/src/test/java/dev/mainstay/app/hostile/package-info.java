/** The gateway among clients and providers of every ill will, in a process with little memory. */
@NullMarked
package dev.mainstay.app.hostile;

import org.jspecify.annotations.NullMarked;
