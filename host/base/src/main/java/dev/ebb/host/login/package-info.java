/** Limits for clients that guess passwords. */
@NullMarked
package dev.ebb.host.login;

import org.jspecify.annotations.NullMarked;
