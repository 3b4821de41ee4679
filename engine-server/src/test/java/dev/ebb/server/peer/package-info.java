@NullMarked
package dev.ebb.server.peer;

import org.jspecify.annotations.NullMarked;
