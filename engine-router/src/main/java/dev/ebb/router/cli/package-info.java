/** The command {@code ebb engine route}. */
@NullMarked
package dev.ebb.router.cli;

import org.jspecify.annotations.NullMarked;
