/** The classic orders: {@code lru}, {@code fifo}, {@code lfu} and {@code priority}. */
package dev.ebb.plugin.lru;
