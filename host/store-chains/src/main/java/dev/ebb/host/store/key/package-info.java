/**
 * Clients' keys. {@link dev.ebb.host.store.key.KeyParser} parses each key once, to an {@link
 * dev.ebb.host.store.key.ObjectKey} with its hash, its role in a chunk and its labels.
 *
 * <p>Depends on no other package of the store.
 */
package dev.ebb.host.store.key;
