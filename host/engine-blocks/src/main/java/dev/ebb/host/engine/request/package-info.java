/** The requests of an engine: tokens, their keys, and the end of a sequence. */
@NullMarked
package dev.ebb.host.engine.request;

import org.jspecify.annotations.NullMarked;
