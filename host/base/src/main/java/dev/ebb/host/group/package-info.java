/** The object groups of hybrid models: which objects of a chunk a prompt needs. */
@NullMarked
package dev.ebb.host.group;

import org.jspecify.annotations.NullMarked;
