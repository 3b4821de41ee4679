/**
 * The classic orders: {@code lru}, {@code fifo}, {@code lfu} and {@code priority}. Depends on the
 * JDK and the SPI alone.
 */
@NullMarked
package dev.ebb.plugin.lru;

import org.jspecify.annotations.NullMarked;
