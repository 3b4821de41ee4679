/**
 * Replays traces through the cache core and its policies, ranks the policies and compares them with
 * the optimum.
 */
package dev.ebb.host.replay;
