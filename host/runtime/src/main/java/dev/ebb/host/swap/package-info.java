/**
 * Switches the active policy under traffic, and the plugins it comes from: one pipeline for every
 * cause, a history of what it did, the way back, and the quarantine of what failed.
 */
@NullMarked
package dev.ebb.host.swap;

import org.jspecify.annotations.NullMarked;
