/** Files that appear whole or not at all. Depends on the JDK alone. */
@NullMarked
package dev.ebb.host.files;

import org.jspecify.annotations.NullMarked;
