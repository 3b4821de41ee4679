/** Creates strategies by name: finds the plugin, reads its settings and makes its context. */
@NullMarked
package dev.ebb.host.policy;

import org.jspecify.annotations.NullMarked;
