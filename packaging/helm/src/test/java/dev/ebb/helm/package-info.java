/** Tests of the Helm chart and of the rules for Prometheus. */
@NullMarked
package dev.ebb.helm;

import org.jspecify.annotations.NullMarked;
