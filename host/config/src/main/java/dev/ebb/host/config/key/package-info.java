/** The declaration of keys, and the reading of their values. */
package dev.ebb.host.config.key;
