/** Routes and documents for the memory pools: maps, compaction and migrations. */
@NullMarked
package dev.ebb.host.admin.pool;

import org.jspecify.annotations.NullMarked;
