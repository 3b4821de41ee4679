/** Pages and cached blocks of one device, and the reports of its pool. */
@NullMarked
package dev.ebb.host.engine.pool;

import org.jspecify.annotations.NullMarked;
