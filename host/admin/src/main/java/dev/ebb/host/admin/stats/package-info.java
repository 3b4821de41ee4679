/** The statistics of a process, as documents and as metrics. */
@NullMarked
package dev.ebb.host.admin.stats;

import org.jspecify.annotations.NullMarked;
