/**
 * Policies that learn: {@code predictive} ranks blocks by the reuse seen in past requests, {@code
 * lifetime} by a lifetime predictor, and {@code online} is the predictor offered with it.
 */
package dev.ebb.plugin.predictive;
