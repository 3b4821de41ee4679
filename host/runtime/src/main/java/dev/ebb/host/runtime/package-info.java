/**
 * The policies of one site put together: switching, rules, shadows, the eviction log, the
 * configuration that can change while the process runs, and the watch on the plugin folder.
 */
@NullMarked
package dev.ebb.host.runtime;

import org.jspecify.annotations.NullMarked;
