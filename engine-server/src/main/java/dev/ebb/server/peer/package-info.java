/** Other engines: what engines send each other, and the client that sends it. */
@NullMarked
package dev.ebb.server.peer;

import org.jspecify.annotations.NullMarked;
