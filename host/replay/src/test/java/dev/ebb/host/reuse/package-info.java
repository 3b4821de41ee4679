@NullMarked
package dev.ebb.host.reuse;

import org.jspecify.annotations.NullMarked;
