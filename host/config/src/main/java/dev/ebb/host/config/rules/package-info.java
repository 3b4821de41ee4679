/** The rules that switch the policy. */
package dev.ebb.host.config.rules;
