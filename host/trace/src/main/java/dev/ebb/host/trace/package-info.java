/**
 * Traces of requests: recorded ones as files or on standard input, and synthetic ones.
 *
 * <p>A {@link dev.ebb.host.trace.TraceCursor} walks over a trace once, in flat memory; a {@link
 * dev.ebb.host.trace.DecodedTrace} holds one whole, for what needs two passes or many threads.
 */
package dev.ebb.host.trace;
