/**
 * The RESP server: Redis' protocol in front of {@code objects}, for unmodified clients.
 *
 * <p>{@link dev.ebb.host.resp.RespServer} listens; a connection reads commands, streams values
 * between socket and pool and never holds a large one on the heap. The only package that uses
 * Netty. May depend on {@code objects}, {@code errors} and {@code units}.
 */
@NullMarked
package dev.ebb.host.resp;

import org.jspecify.annotations.NullMarked;
