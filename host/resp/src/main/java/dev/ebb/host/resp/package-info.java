/**
 * The RESP server: the Redis protocol in front of {@code store}, for unmodified clients.
 *
 * <p>{@link dev.ebb.host.resp.RespServer} listens. A connection reads commands, streams values
 * between socket and pool and never holds a large one on the heap. The only package that uses
 * Netty.
 */
package dev.ebb.host.resp;
