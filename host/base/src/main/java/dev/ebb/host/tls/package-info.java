/** TLS from PEM files, for servers and clients. */
package dev.ebb.host.tls;
