/** Policies switched under traffic, and plugins that misbehave. */
@NullMarked
package dev.ebb.host.swap;

import org.jspecify.annotations.NullMarked;
