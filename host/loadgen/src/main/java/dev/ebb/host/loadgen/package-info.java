/**
 * The load generator: it sends requests to a RESP server, measures it and checks its answers.
 *
 * <p>{@link dev.ebb.host.loadgen.Bench} drives all connections from one thread, without garbage per
 * request, so that one core saturates any server.
 */
package dev.ebb.host.loadgen;
