/** Servers of tools that speak the Model Context Protocol, each started, watched and restarted. */
@NullMarked
package dev.mainstay.agent.mcp;

import org.jspecify.annotations.NullMarked;
