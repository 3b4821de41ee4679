/** The search for the settings with which a policy has the most hits. */
package dev.ebb.host.tuning;
