/** Runs policies, on the caller's thread or on threads of their own, and evicts. */
package dev.ebb.host.cache.execution;
