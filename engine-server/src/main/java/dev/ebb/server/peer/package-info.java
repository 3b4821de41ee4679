/** Other engines: what engines send each other, and the client that sends it. */
package dev.ebb.server.peer;
