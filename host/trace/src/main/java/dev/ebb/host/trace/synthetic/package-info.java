/** Synthetic traces: conversations, agents, retrieved documents and independent blocks. */
@NullMarked
package dev.ebb.host.trace.synthetic;

import org.jspecify.annotations.NullMarked;
