/** {@code ebb bench}: load for a RESP server or an engine. */
package dev.ebb.host.cli.bench;
