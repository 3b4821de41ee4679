/** What the cache knows of a policy: faults, state, gauges, the built-in ones. */
package dev.ebb.host.cache.policy;
