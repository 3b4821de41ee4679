/** The NUMA nodes of the machine, and on which of them the pages of host memory are allocated. */
@NullMarked
package dev.ebb.host.numa;

import org.jspecify.annotations.NullMarked;
