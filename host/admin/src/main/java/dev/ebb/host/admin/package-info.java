/**
 * What operators see and change of a process that serves clients or that an engine runs in, as
 * documents under {@code /api/v1}, health and metrics.
 *
 * <p>{@link dev.ebb.host.admin.AdminApi} is the list of routes; each group of them is a class.
 * Documents are records, whose components are the properties of the JSON.
 */
@NullMarked
package dev.ebb.host.admin;

import org.jspecify.annotations.NullMarked;
