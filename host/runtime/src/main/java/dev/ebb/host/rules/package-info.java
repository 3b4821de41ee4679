/**
 * Rules that activate a policy while something is so: what they watch, when they hold, and which of
 * them decides.
 */
@NullMarked
package dev.ebb.host.rules;

import org.jspecify.annotations.NullMarked;
