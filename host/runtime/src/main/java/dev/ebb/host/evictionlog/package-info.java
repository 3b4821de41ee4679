/**
 * What has left the cache, for readers: a place in the log to go on from, and a file.
 *
 * <p>Everything here reads {@code cache}'s bounded log from a thread of its own, so that an
 * eviction never waits for a reader or a disk.
 */
@NullMarked
package dev.ebb.host.evictionlog;

import org.jspecify.annotations.NullMarked;
