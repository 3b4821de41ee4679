/**
 * A small HTTP server for operators: routes, JSON, server-sent events and access control.
 *
 * <p>The package does not depend on the served content.
 */
package dev.ebb.host.http;
