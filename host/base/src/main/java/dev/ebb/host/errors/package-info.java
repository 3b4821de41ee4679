/** Mistakes that a user can fix, their messages, and text of plugins made safe to show. */
package dev.ebb.host.errors;
