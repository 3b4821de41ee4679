/**
 * Orders that learn: {@code predictive} ranks blocks by what past requests say about their reuse,
 * {@code lifetime} by a lifetime predictor, and {@code online} is the predictor offered with it.
 *
 * <p>Depends on the contract and the JDK only.
 */
@NullMarked
package dev.ebb.plugin.predictive;

import org.jspecify.annotations.NullMarked;
