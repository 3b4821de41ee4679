/** The server in front of the engines. */
@NullMarked
package dev.ebb.router.server;

import org.jspecify.annotations.NullMarked;
