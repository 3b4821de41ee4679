/** The search for the settings with which a policy has the most hits. */
@NullMarked
package dev.ebb.host.tuning;

import org.jspecify.annotations.NullMarked;
