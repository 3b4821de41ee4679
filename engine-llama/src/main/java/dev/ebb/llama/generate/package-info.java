/**
 * The command {@code ebb generate}: a model answers a prompt while a token policy from the drop-in
 * folder keeps its KV cells within bounds.
 *
 * <p>Depends on {@code binding}, {@code signals}, the SPI, and of the host on what makes and asks
 * policies and commands. Nothing of the host depends on it: the command is found as a service.
 */
@NullMarked
package dev.ebb.llama.generate;

import org.jspecify.annotations.NullMarked;
