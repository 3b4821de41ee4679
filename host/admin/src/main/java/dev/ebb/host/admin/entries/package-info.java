/** Routes and documents for cached entries: reading, pinning and eviction, and the eviction log. */
package dev.ebb.host.admin.entries;
