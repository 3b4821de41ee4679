/**
 * The client of the admin server: calls an Ebb process over HTTP and explains failures.
 *
 * <p>The package does not interpret the documents.
 */
package dev.ebb.host.client;
