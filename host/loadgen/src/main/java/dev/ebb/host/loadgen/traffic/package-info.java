/** Sends the requests of a trace to servers as LMCache's clients do. */
package dev.ebb.host.loadgen.traffic;
