/**
 * Measures how much a token policy forgets. A small hand-made model looks up facts in its prompt,
 * over real sequences whose tokens the policy drops. It distinguishes policies in seconds and on
 * any machine, but does not predict how well a trained model will answer.
 */
package dev.ebb.host.tokeneval;
