package dev.ebb.host.store.key;

/** Keys that belong to a tenant, whoever uses them and whatever tenant they name. */
public record TenantPrefix(String prefix, String tenant) {}
