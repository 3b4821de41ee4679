/**
 * The configuration: HOCON files read into typed, immutable records, with every mistake reported
 * together by file and line; and the settings of strategies.
 */
package dev.ebb.host.config;
