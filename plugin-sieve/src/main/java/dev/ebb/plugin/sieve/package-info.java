/** Queues that decide at eviction time instead of on access: {@code sieve} and {@code s3-fifo}. */
package dev.ebb.plugin.sieve;
