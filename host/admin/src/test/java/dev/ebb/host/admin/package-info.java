/** What operators call, over real sockets. */
@NullMarked
package dev.ebb.host.admin;

import org.jspecify.annotations.NullMarked;
