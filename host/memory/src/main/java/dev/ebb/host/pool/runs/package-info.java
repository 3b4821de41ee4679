/** The allocation of runs of block numbers. */
@NullMarked
package dev.ebb.host.pool.runs;

import org.jspecify.annotations.NullMarked;
