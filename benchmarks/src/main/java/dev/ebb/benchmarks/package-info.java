/** What Ebb costs, measured beside a peer in the same run. See docs/benchmarks.md. */
package dev.ebb.benchmarks;
