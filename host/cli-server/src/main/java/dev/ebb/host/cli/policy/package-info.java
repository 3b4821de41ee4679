/** {@code ebb policy}: strategies, rules and shadows of a running server. */
package dev.ebb.host.cli.policy;
