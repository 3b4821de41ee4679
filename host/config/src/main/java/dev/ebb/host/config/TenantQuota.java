package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.PoolSize;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ebb.tenants.<name>}.
 *
 * @param quota the part of the pool reserved for this tenant
 */
public record TenantQuota(String name, PoolSize quota, String where) {

  public static final ConfigKey<StrategySettings> TENANTS =
      ConfigKey.fixed("tenants", ValueType.SECTION);

  private static final String QUOTA = "quota";

  /** The part of the pool shared by all tenants without a quota. */
  public static final String REST = "default";

  static List<TenantQuota> read(ConfigReader reader) {
    List<TenantQuota> quotas = new ArrayList<>();
    reader
        .sections(TENANTS)
        .forEach((name, tenant) -> {
          TenantQuota quota = reader.read(tenant, setting -> read(name, setting, reader));
          if (quota != null) {
            quotas.add(quota);
          }
        });
    return quotas;
  }

  private static TenantQuota read(String name, Setting tenant, ConfigReader reader) {
    reader.refuseOthers(tenant, List.of(QUOTA), any -> "");
    Setting quota = tenant.inner(QUOTA);
    if (quota == null) {
      throw tenant.wrong("needs a quota, such as { quota = 2 GiB }");
    }
    return new TenantQuota(name, quota.quota(), quota.where());
  }

  /** Returns the name of this tenant's part of the pool. */
  public String part() {
    return part(name);
  }

  public static String part(String tenant) {
    return "tenant:" + tenant;
  }
}
