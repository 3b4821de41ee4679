/**
 * What has left the cache, for readers: a place in the log to go on from, and a file.
 *
 * <p>Everything here reads {@code cache}'s bounded log from a thread of its own, so that an
 * eviction never waits for a reader or a disk. May depend on {@code cache}, {@code units}, {@code
 * errors} and the SPI; the one package that touches Logback's appenders.
 */
@NullMarked
package dev.ebb.host.evictionlog;

import org.jspecify.annotations.NullMarked;
