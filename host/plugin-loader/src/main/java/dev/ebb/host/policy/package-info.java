/** Creates strategies by name: finds the plugin, reads its settings and makes its context. */
package dev.ebb.host.policy;
