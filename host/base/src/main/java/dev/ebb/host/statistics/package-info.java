/** What measured numbers can tell, and what may be chance. Depends on nothing. */
@NullMarked
package dev.ebb.host.statistics;

import org.jspecify.annotations.NullMarked;
