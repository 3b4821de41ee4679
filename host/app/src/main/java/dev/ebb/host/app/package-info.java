/** The serving process, wired from the configuration: pool, store, policy and servers. */
package dev.ebb.host.app;
