/** Runs policies, on the caller's thread or on threads of their own, and evicts. */
@NullMarked
package dev.ebb.host.cache.execution;

import org.jspecify.annotations.NullMarked;
