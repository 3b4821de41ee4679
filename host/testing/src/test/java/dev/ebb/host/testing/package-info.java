/** Builds real plugin JARs, for the tests of every package. */
@NullMarked
package dev.ebb.host.testing;

import org.jspecify.annotations.NullMarked;
