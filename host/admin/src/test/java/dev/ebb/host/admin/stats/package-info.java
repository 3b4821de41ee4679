@NullMarked
package dev.ebb.host.admin.stats;

import org.jspecify.annotations.NullMarked;
