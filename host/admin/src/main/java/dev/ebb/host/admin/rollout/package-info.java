/** A policy on trial on one node, which goes back by itself. */
package dev.ebb.host.admin.rollout;
