/** Reuse distances: the order in which an LRU cache of any size keeps blocks. */
@NullMarked
package dev.ebb.host.reuse;

import org.jspecify.annotations.NullMarked;
