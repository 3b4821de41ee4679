/** Builds real plugin JARs, for the tests of every package. */
package dev.ebb.host.testing;
