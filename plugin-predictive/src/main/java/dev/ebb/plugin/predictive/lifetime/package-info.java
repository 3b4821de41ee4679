/** The policy {@code lifetime}, and the predictor {@code online} that it uses by default. */
package dev.ebb.plugin.predictive.lifetime;
