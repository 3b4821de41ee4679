/** What Ebb costs, measured beside a peer in the same run. See docs/benchmarks.md. */
@NullMarked
package dev.ebb.benchmarks;

import org.jspecify.annotations.NullMarked;
