/** Tests of sequences. */
@NullMarked
package dev.ebb.host.engine.sequence;

import org.jspecify.annotations.NullMarked;
