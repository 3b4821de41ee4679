/** Entries, requests, pins and the event stream: the state of a cache. */
@NullMarked
package dev.ebb.host.cache.index;

import org.jspecify.annotations.NullMarked;
