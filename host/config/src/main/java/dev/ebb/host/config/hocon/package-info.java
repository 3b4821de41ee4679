/** Reading of HOCON: the user's files, and untrusted text; origins and messages. */
package dev.ebb.host.config.hocon;
