/** The configuration of servers, their users, and clusters. */
@NullMarked
package dev.ebb.host.config.server;

import org.jspecify.annotations.NullMarked;
