/**
 * Readers of evictions: a cursor in the eviction log, and a file writer.
 *
 * <p>All readers use their own thread and read the bounded log of {@code cache}. An eviction never
 * waits for a reader or a disk.
 */
@NullMarked
package dev.ebb.host.evictionlog;

import org.jspecify.annotations.NullMarked;
