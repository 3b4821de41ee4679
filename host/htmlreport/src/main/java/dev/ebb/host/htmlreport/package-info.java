/**
 * One HTML page out of small resources, and what Ebb's pages have in common: colours, charts,
 * tables, tips.
 *
 * <p>The resources of this package are written as {@code shared/NAME} in a page's lists. Depends on
 * nothing of Ebb.
 */
@NullMarked
package dev.ebb.host.htmlreport;

import org.jspecify.annotations.NullMarked;
