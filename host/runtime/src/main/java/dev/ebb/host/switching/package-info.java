/**
 * Policy and plugin switches under traffic: one pipeline for all causes, a history, rollback, and
 * the quarantine of failed strategies.
 */
@NullMarked
package dev.ebb.host.switching;

import org.jspecify.annotations.NullMarked;
