/** The text of commands about policies. */
@NullMarked
package dev.ebb.host.cli.policy;

import org.jspecify.annotations.NullMarked;
