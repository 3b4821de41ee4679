/** Reading of HOCON: the user's files, and untrusted text; origins and messages. */
@NullMarked
package dev.ebb.host.config.hocon;

import org.jspecify.annotations.NullMarked;
