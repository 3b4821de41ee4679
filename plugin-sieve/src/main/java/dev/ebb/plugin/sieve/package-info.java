/** Queues that decide at eviction time instead of on access: {@code sieve} and {@code s3-fifo}. */
@NullMarked
package dev.ebb.plugin.sieve;

import org.jspecify.annotations.NullMarked;
