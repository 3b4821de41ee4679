package dev.ebb.host.config.key;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.hocon.Origins;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A section whose names users choose: the settings of the strategies of one kind, or of tenants.
 *
 * @param path their section: {@code ebb.eviction.policies}
 */
public record StrategySettings(String path, ConfigObject tree) {

  /** The only key under a strategy's name that belongs to the host. */
  private static final String PLUGIN = "plugin";

  /** Returns the names of the configured strategies, sorted. */
  public List<String> names() {
    return tree.keySet().stream().sorted().toList();
  }

  /**
   * Returns the user's settings of one strategy, without the host's own key; empty if there are
   * none.
   */
  public Config of(String name) {
    return section(name).withoutPath(PLUGIN);
  }

  /**
   * Returns the plugin chosen for a name.
   *
   * @return the plugin's id, or null if the user did not choose
   */
  public @Nullable String plugin(String name) {
    ConfigValue value = section(name).root().get(PLUGIN);
    return value == null ? null : String.valueOf(value.unwrapped());
  }

  /** Returns the origin of a strategy's settings. */
  public String where(String name) {
    ConfigValue value = tree.get(name);
    if (value == null) {
      return path;
    }
    ConfigValue said = value;
    // A section made of single changes has no line; the changes have.
    while (said instanceof ConfigObject section && said.origin().filename() == null) {
      if (section.isEmpty()) {
        return pathOf(name);
      }
      said = section.values().iterator().next();
    }
    return Origins.where(said.origin());
  }

  /** Returns the full path of a strategy's settings: {@code ebb.eviction.policies.lfu}. */
  public String pathOf(String name) {
    return path + "." + name;
  }

  /** Returns the same with other values of the keys below its path. */
  public StrategySettings with(List<ConfigOverride> values) {
    Config changed = tree.toConfig();
    for (ConfigOverride value : values) {
      if (value.key().startsWith(path + ".")) {
        changed = changed.withValue(value.key().substring(path.length() + 1), value.configValue());
      }
    }
    return new StrategySettings(path, changed.root());
  }

  private Config section(String name) {
    return tree.get(name) instanceof ConfigObject object
        ? object.toConfig()
        : ConfigFactory.empty();
  }
}
