package dev.ebb.host.config;

/**
 * {@code ebb.tenants.<name>}.
 *
 * @param name the tenant, as in keys
 * @param quota the part of the pool reserved for this tenant
 * @param where file and line, for messages
 */
public record TenantQuota(String name, PoolSize quota, String where) {

  /** The part of the pool shared by all tenants without a quota. */
  public static final String REST = "default";

  /** Returns the name of this tenant's part of the pool. */
  public String part() {
    return part(name);
  }

  static String part(String tenant) {
    return "tenant:" + tenant;
  }
}
