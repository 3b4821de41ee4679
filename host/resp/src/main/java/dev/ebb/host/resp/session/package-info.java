/** Sessions and users of the RESP server, and the text of requests and replies. */
package dev.ebb.host.resp.session;
