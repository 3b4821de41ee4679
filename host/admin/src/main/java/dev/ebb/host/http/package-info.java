/**
 * A small HTTP server for operators: routes, JSON, server-sent events, and who may call.
 *
 * <p>It knows nothing of what is served.
 */
@NullMarked
package dev.ebb.host.http;

import org.jspecify.annotations.NullMarked;
