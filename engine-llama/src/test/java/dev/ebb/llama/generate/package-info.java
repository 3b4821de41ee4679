/** Tests of generation under token policies, with a model that they make. */
@NullMarked
package dev.ebb.llama.generate;

import org.jspecify.annotations.NullMarked;
