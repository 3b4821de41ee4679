/** The serving process, wired from the configuration: pool, store, policy and servers. */
@NullMarked
package dev.ebb.host.app;

import org.jspecify.annotations.NullMarked;
