/** A served model, and the options of its answers. */
package dev.ebb.server.model;
