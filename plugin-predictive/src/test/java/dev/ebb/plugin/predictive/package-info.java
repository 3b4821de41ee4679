/** Tests, with a small prefix-cache simulator of their own. */
@NullMarked
package dev.ebb.plugin.predictive;

import org.jspecify.annotations.NullMarked;
