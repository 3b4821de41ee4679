/** Routes and documents for the memory pools: maps, compaction and migrations. */
package dev.ebb.host.admin.pool;
