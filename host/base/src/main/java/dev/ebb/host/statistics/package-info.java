/** Statistics of measured numbers, and their confidence. */
package dev.ebb.host.statistics;
