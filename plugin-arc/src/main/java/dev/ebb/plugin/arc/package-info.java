/** The adaptive replacement cache: {@code arc}. */
package dev.ebb.plugin.arc;
