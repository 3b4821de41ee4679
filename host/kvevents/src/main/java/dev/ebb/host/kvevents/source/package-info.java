/**
 * What engines publish about their blocks. {@link dev.ebb.host.kvevents.source.EngineSources} fills
 * the table of tokens from it.
 */
package dev.ebb.host.kvevents.source;
