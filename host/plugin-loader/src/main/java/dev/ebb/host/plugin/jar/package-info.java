/**
 * Plugin JARs before any class of them is loaded: trust, private copies, signatures, manifests,
 * versions.
 */
package dev.ebb.host.plugin.jar;
