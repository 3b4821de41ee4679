/** TLS from PEM files, for servers and clients. */
@NullMarked
package dev.ebb.host.tls;

import org.jspecify.annotations.NullMarked;
