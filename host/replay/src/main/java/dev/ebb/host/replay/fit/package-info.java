/** Profiles of a trace's reuse: fits one to a trace, and generates traces from it. */
package dev.ebb.host.replay.fit;
