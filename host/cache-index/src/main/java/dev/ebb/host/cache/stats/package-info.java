/** Counters and reports of a cache. */
@NullMarked
package dev.ebb.host.cache.stats;

import org.jspecify.annotations.NullMarked;
