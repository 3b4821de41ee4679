/**
 * Offline optima: what a policy that knows the future would reach on a trace. They judge the real
 * policies. Depends on {@code dev.ebb.host.trace} only.
 */
@NullMarked
package dev.ebb.host.optimum;

import org.jspecify.annotations.NullMarked;
