/** Which way dependencies point. */
@NullMarked
package dev.ebb.llama.architecture;

import org.jspecify.annotations.NullMarked;
