/** Tests of the server, with real engines and a fake one. */
@NullMarked
package dev.ebb.router.server;

import org.jspecify.annotations.NullMarked;
