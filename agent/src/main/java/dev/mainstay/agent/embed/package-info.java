/** Agents as plain Java: a builder, annotated methods as tools, and a runner over a ledger. */
@NullMarked
package dev.mainstay.agent.embed;

import org.jspecify.annotations.NullMarked;
