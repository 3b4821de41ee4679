package dev.ebb.host.config;

/**
 * {@code ebb.tenants.<name>}.
 *
 * @param name the tenant, as keys say it
 * @param quota how much of the pool is this tenant's alone
 * @param where file and line, for messages
 */
public record TenantQuota(String name, PoolSize quota, String where) {

  /** The part of the pool of all who have no quota. */
  public static final String REST = "default";

  /**
   * The part of the pool that is this tenant's.
   *
   * @return its name
   */
  public String part() {
    return part(name);
  }

  static String part(String tenant) {
    return "tenant:" + tenant;
  }
}
