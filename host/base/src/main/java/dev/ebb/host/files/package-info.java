/** Files that appear whole or not at all. */
@NullMarked
package dev.ebb.host.files;

import org.jspecify.annotations.NullMarked;
