/** Sessions and users of the RESP server, and the text of requests and replies. */
@NullMarked
package dev.ebb.host.resp.session;

import org.jspecify.annotations.NullMarked;
