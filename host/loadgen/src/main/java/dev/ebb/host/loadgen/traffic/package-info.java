/** Sends the requests of a trace to servers as LMCache's clients do. */
@NullMarked
package dev.ebb.host.loadgen.traffic;

import org.jspecify.annotations.NullMarked;
