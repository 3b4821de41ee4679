/**
 * Plugin JARs before any class of them is loaded: trust, private copies, signatures, manifests,
 * versions.
 */
@NullMarked
package dev.ebb.host.plugin.jar;

import org.jspecify.annotations.NullMarked;
