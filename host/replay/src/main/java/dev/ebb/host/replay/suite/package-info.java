/** Suites of traces, and the ranking of policies over all of them. */
@NullMarked
package dev.ebb.host.replay.suite;

import org.jspecify.annotations.NullMarked;
