/** The classic orders: {@code lru}, {@code fifo}, {@code lfu} and {@code priority}. */
@NullMarked
package dev.ebb.plugin.lru;

import org.jspecify.annotations.NullMarked;
