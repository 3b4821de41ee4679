/** {@code ebb policy}: strategies, rules and shadows of a running server. */
@NullMarked
package dev.ebb.host.cli.policy;

import org.jspecify.annotations.NullMarked;
