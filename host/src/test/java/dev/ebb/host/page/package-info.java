/** A real browser for the tests of Ebb's pages. */
@NullMarked
package dev.ebb.host.page;

import org.jspecify.annotations.NullMarked;
