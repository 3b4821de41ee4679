/** Files that appear whole or not at all, and the owners of files. */
@NullMarked
package dev.ebb.host.files;

import org.jspecify.annotations.NullMarked;
