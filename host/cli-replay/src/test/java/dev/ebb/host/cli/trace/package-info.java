@NullMarked
package dev.ebb.host.cli.trace;

import org.jspecify.annotations.NullMarked;
