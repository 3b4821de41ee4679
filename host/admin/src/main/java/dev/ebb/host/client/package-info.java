/**
 * The other side of the admin server: calls a running Ebb over HTTP, and says in words why a call
 * failed.
 *
 * <p>It knows nothing of what the documents mean.
 */
@NullMarked
package dev.ebb.host.client;

import org.jspecify.annotations.NullMarked;
