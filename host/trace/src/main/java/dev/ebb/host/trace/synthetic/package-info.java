/** Synthetic traces: conversations, agents, retrieved documents and independent blocks. */
package dev.ebb.host.trace.synthetic;
