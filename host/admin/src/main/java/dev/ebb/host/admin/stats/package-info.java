/** The statistics of a process, as documents and as metrics. */
package dev.ebb.host.admin.stats;
