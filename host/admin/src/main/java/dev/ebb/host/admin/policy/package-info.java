/** Routes and documents for policies, rules, shadows, plugins and the configuration. */
package dev.ebb.host.admin.policy;
