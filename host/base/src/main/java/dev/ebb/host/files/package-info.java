/** Files that appear whole or not at all, and files that other users could replace. */
@NullMarked
package dev.ebb.host.files;

import org.jspecify.annotations.NullMarked;
