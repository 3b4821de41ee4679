/**
 * How much a token policy forgets: a small model made by hand, not trained, that looks facts up in
 * its prompt, run over real sequences whose tokens the policy drops. It tells policies apart in
 * seconds and on any machine; it does not say how well a trained model will answer.
 *
 * <p>May depend on {@code engine}, {@code pool}, {@code sequence}, {@code tokens}, {@code policy},
 * {@code plugin}, {@code config}, {@code page}, {@code errors} and the SPI.
 */
@NullMarked
package dev.ebb.host.tokeneval;

import org.jspecify.annotations.NullMarked;
