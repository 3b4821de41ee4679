/** Tests of the tools for plugin authors, and of the messages for each of their mistakes. */
@NullMarked
package dev.ebb.host.devkit;

import org.jspecify.annotations.NullMarked;
