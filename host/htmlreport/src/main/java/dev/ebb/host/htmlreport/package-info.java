/**
 * HTML pages built from small resources, and the parts that Ebb's pages share: colours, charts,
 * tables, tips.
 *
 * <p>The resources of this package are written as {@code shared/NAME} in a page's lists.
 */
@NullMarked
package dev.ebb.host.htmlreport;

import org.jspecify.annotations.NullMarked;
