/** Policies switched under traffic, and plugins that misbehave. */
@NullMarked
package dev.ebb.host.switching;

import org.jspecify.annotations.NullMarked;
