/** The counters of an engine. */
@NullMarked
package dev.ebb.host.engine.stats;

import org.jspecify.annotations.NullMarked;
