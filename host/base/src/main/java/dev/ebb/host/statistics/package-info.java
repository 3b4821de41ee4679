/** Statistics of measured numbers, and their confidence. */
@NullMarked
package dev.ebb.host.statistics;

import org.jspecify.annotations.NullMarked;
