/**
 * Rules that switch policies automatically: watched values, rule states, and the choice of the
 * active rule.
 */
@NullMarked
package dev.ebb.host.rules;

import org.jspecify.annotations.NullMarked;
