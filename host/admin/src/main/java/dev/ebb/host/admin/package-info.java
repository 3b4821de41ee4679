/**
 * The admin API of a process that serves clients or runs an engine: documents under {@code
 * /api/v1}, health and metrics.
 *
 * <p>{@link dev.ebb.host.admin.AdminApi} lists the routes; each group of routes is a class.
 * Documents are records, whose components are the JSON properties.
 */
package dev.ebb.host.admin;
