/** Policies switched under traffic, and plugins that misbehave. */
@NullMarked
package dev.ebb.host.runtime;

import org.jspecify.annotations.NullMarked;
