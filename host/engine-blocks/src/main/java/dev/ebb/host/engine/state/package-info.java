/** The recurrent states of cached prefixes. Knows the pool and the cache, and not the engine. */
@NullMarked
package dev.ebb.host.engine.state;

import org.jspecify.annotations.NullMarked;
