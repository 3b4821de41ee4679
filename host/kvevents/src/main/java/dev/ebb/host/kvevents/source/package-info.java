/**
 * What engines publish about their blocks. {@link dev.ebb.host.kvevents.source.EngineSources} fills
 * the table of tokens from it.
 */
@NullMarked
package dev.ebb.host.kvevents.source;

import org.jspecify.annotations.NullMarked;
