/**
 * Sequences of engines in other processes. An engine maps the memory, states its model and drives
 * its sequences with {@code EBB.SEQ} over the Unix domain socket. The sequences themselves are
 * those of {@link dev.ebb.host.engine.Ebb}.
 */
package dev.ebb.host.sequences;
