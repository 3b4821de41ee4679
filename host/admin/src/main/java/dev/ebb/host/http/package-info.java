/**
 * A small HTTP server for operators: routes, JSON, server-sent events, and who may call.
 *
 * <p>It knows nothing of what is served. May depend on {@code errors} and {@code units} only, and
 * is the one package that touches the JDK's HTTP server.
 */
@NullMarked
package dev.ebb.host.http;

import org.jspecify.annotations.NullMarked;
