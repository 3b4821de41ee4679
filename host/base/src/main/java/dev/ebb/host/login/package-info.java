/** Limits for clients that guess passwords. */
package dev.ebb.host.login;
