@NullMarked
package dev.ebb.host.transfer;

import org.jspecify.annotations.NullMarked;
