/**
 * What keeps values from eviction: the leases of lookups, and operators' pins.
 *
 * <p>Depends on {@code store.value} and what that depends on.
 */
package dev.ebb.host.store.lease;
