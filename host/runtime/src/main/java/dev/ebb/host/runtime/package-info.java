/**
 * The policy subsystem of a site: switches, rules, shadow policies, the eviction log, the run-time
 * configuration, and the watch on the plugin folder.
 */
@NullMarked
package dev.ebb.host.runtime;

import org.jspecify.annotations.NullMarked;
