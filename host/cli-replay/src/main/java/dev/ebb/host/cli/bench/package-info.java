/** {@code ebb bench}: load for a RESP server or an engine. */
@NullMarked
package dev.ebb.host.cli.bench;

import org.jspecify.annotations.NullMarked;
