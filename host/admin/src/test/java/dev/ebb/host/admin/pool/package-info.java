/** Pools as documents and pictures. */
@NullMarked
package dev.ebb.host.admin.pool;

import org.jspecify.annotations.NullMarked;
