/** Documents as lines of text: formats of values, templates and tables. */
@NullMarked
package dev.ebb.host.text;

import org.jspecify.annotations.NullMarked;
