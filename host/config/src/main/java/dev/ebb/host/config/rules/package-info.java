/** The rules that switch the policy. */
@NullMarked
package dev.ebb.host.config.rules;

import org.jspecify.annotations.NullMarked;
