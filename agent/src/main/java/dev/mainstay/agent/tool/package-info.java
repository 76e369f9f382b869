/** Tools: how a call of one is carried out, and what is known of it afterwards. */
@NullMarked
package dev.mainstay.agent.tool;

import org.jspecify.annotations.NullMarked;
