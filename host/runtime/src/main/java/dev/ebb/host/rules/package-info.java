/**
 * Rules that activate a policy while something is so: what they watch, when they hold, and which of
 * them decides.
 *
 * <p>May depend on {@code swap}, {@code objects}, {@code config}, {@code device}, {@code plugin}
 * and {@code errors}.
 */
@NullMarked
package dev.ebb.host.rules;

import org.jspecify.annotations.NullMarked;
