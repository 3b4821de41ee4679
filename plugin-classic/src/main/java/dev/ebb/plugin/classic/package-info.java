/** Cache policies of published papers, one file per paper. */
@NullMarked
package dev.ebb.plugin.classic;

import org.jspecify.annotations.NullMarked;
