/**
 * What the tests of policies share: plain stand-ins for the host's side of the contract, two replay
 * models and the recorded traces. Nothing here is clever; everything is meant to be read against
 * {@link dev.ebb.spi.BlockPolicy} line by line.
 */
package dev.ebb.spi.sim;
