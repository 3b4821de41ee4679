/** What Jlama shows only inside its own package. */
@NullMarked
package com.github.tjake.jlama.tensor;

import org.jspecify.annotations.NullMarked;
