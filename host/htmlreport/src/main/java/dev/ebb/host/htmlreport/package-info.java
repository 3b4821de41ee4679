/**
 * HTML pages built from small resources, and the parts that Ebb's pages share: colours, charts,
 * tables, tips.
 */
@NullMarked
package dev.ebb.host.htmlreport;

import org.jspecify.annotations.NullMarked;
