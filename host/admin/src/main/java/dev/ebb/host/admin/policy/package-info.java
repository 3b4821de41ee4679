/** Routes and documents for policies, rules, shadows, plugins and the configuration. */
@NullMarked
package dev.ebb.host.admin.policy;

import org.jspecify.annotations.NullMarked;
