/** Routes and documents for cached entries: reading, pinning and eviction, and the eviction log. */
@NullMarked
package dev.ebb.host.admin.entries;

import org.jspecify.annotations.NullMarked;
