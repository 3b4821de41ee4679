/**
 * What operators see and change of a process that serves clients or that an engine runs in, as
 * documents under {@code /api/v1}, health and metrics.
 *
 * <p>{@link dev.ebb.host.admin.AdminApi} is the list of routes; each group of them is a class.
 * Documents are records, whose components are the properties of the JSON. May depend on {@code
 * http}, {@code page}, {@code metrics}, {@code evictions}, {@code cache}, {@code objects}, {@code
 * pool}, {@code resp}, {@code swap}, {@code rules}, {@code policy}, {@code plugin}, {@code config},
 * {@code wiring}, {@code units}, {@code errors} and the SPI.
 */
@NullMarked
package dev.ebb.host.admin;

import org.jspecify.annotations.NullMarked;
