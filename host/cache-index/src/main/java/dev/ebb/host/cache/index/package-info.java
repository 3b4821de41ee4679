/** Entries, requests, pins and the event stream: the state of a cache. */
package dev.ebb.host.cache.index;
