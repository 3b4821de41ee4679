@NullMarked
package dev.ebb.host.rules;

import org.jspecify.annotations.NullMarked;
