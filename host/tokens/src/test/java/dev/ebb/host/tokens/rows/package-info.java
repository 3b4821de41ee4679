@NullMarked
package dev.ebb.host.tokens.rows;

import org.jspecify.annotations.NullMarked;
