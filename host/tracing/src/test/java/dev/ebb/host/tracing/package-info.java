/** Tests of spans, with a collector on a socket. */
@NullMarked
package dev.ebb.host.tracing;

import org.jspecify.annotations.NullMarked;
