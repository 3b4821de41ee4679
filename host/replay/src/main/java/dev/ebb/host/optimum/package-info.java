/** Offline optima: the results of a policy that knows the future, as a bound for real policies. */
package dev.ebb.host.optimum;
