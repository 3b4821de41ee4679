package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.ebb.spi.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code ebb.tenants}: names are chosen by the user, the keys below them are not. */
final class TenantQuotas {

  private static final String PATH = "ebb.tenants";
  private static final String QUOTA = "quota";

  private final Config user;
  private final List<String> problems;

  TenantQuotas(Config user, List<String> problems) {
    this.user = user;
    this.problems = problems;
  }

  List<TenantQuota> read() {
    List<TenantQuota> quotas = new ArrayList<>();
    if (user.hasPath(PATH)) {
      new TreeMap<>(user.getObject(PATH))
          .forEach((name, value) -> {
            // A value that is not a section has been reported with the other unknown keys.
            TenantQuota quota = value instanceof ConfigObject each ? read(name, each) : null;
            if (quota != null) {
              quotas.add(quota);
            }
          });
    }
    return quotas;
  }

  private @Nullable TenantQuota read(String name, ConfigObject section) {
    String path = PATH + "." + ConfigUtil.joinPath(name);
    section.forEach((key, inner) -> {
      if (!key.equals(QUOTA)) {
        problems.add(
            "%s: unknown key '%s.%s' (value '%s'); allowed: [%s]"
                .formatted(Origins.where(inner.origin()), path, key, Setting.text(inner), QUOTA));
      }
    });
    ConfigValue quota = section.get(QUOTA);
    if (quota == null) {
      problems.add(new Setting(path, section).problem("needs a quota, such as { quota = 2 GiB }"));
      return null;
    }
    try {
      return new TenantQuota(
          name, new Setting(path + "." + QUOTA, quota).quota(), Origins.where(quota.origin()));
    } catch (SettingException wrong) {
      problems.add(String.valueOf(wrong.getMessage()));
      return null;
    }
  }
}
