/**
 * The tokens of blocks, by the hashes that engines give them: {@link
 * dev.ebb.host.kvevents.tokens.TokenTable}. Depends on no other package of this module.
 */
package dev.ebb.host.kvevents.tokens;
