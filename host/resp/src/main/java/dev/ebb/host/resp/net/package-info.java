/** Sockets and event loops of the RESP server. */
@NullMarked
package dev.ebb.host.resp.net;

import org.jspecify.annotations.NullMarked;
