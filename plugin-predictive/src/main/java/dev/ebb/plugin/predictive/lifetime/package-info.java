/** The policy {@code lifetime}, and the predictor {@code online} that it uses by default. */
@NullMarked
package dev.ebb.plugin.predictive.lifetime;

import org.jspecify.annotations.NullMarked;
