/** What the cache knows of a policy: faults, state, gauges, the built-in ones. */
@NullMarked
package dev.ebb.host.cache.policy;

import org.jspecify.annotations.NullMarked;
