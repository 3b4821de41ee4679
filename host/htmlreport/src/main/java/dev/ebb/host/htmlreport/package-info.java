/**
 * HTML pages built from small resources, and the parts that Ebb's pages share: colours, charts,
 * tables, tips.
 */
package dev.ebb.host.htmlreport;
