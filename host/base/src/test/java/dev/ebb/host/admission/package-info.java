@NullMarked
package dev.ebb.host.admission;

import org.jspecify.annotations.NullMarked;
