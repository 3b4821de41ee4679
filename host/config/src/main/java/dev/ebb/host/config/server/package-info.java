/** The configuration of servers, their users, and clusters. */
package dev.ebb.host.config.server;
