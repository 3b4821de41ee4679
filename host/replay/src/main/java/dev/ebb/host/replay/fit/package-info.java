/** Profiles of a trace's reuse: fits one to a trace, and generates traces from it. */
@NullMarked
package dev.ebb.host.replay.fit;

import org.jspecify.annotations.NullMarked;
