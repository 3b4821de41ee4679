/**
 * The command {@code ebb generate}: a model answers a prompt while a token policy from the plugin
 * folder keeps its KV cells within bounds. Nothing of the host depends on it: the command is found
 * as a service.
 */
package dev.ebb.llama.generate;
