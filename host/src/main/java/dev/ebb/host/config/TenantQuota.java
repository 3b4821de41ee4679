package dev.ebb.host.config;

/**
 * {@code ebb.tenants.<name>}.
 *
 * @param name the tenant, as keys say it
 * @param quota how much of the pool is this tenant's alone
 * @param where file and line, for messages
 */
public record TenantQuota(String name, PoolSize quota, String where) {}
