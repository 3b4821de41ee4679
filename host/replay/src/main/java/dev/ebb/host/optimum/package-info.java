/** Offline optima: the results of a policy that knows the future, as a bound for real policies. */
@NullMarked
package dev.ebb.host.optimum;

import org.jspecify.annotations.NullMarked;
