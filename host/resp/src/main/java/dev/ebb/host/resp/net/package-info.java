/** Sockets and event loops of the RESP server. */
package dev.ebb.host.resp.net;
