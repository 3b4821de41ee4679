/** Suites of traces, and the ranking of policies over all of them. */
package dev.ebb.host.replay.suite;
