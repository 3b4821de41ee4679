/** Reuse distances: the order in which an LRU cache of any size keeps blocks. */
package dev.ebb.host.reuse;
