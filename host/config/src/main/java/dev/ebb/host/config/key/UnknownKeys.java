package dev.ebb.host.config.key;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.errors.ForeignNames;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares the keys of a user's configuration with the known ones: unknown keys, and values in
 * place of sections. An empty section of the defaults is open: it allows any names, each with a
 * section of its own.
 */
public final class UnknownKeys {

  private final List<String> problems;
  private Config known;

  private UnknownKeys(Config user, List<String> problems) {
    this.known = user;
    this.problems = problems;
  }

  /** Reports the keys that do not match, and returns the rest. */
  public static Config check(Config user, List<String> problems) {
    UnknownKeys check = new UnknownKeys(user, problems);
    check.section("", user.root(), ConfigKeys.DEFAULTS.root());
    return check.known;
  }

  private void section(String path, ConfigObject given, ConfigObject allowed) {
    new TreeMap<>(given).forEach((key, value) -> entry(path, key, value, allowed));
  }

  private void entry(String path, String key, ConfigValue value, ConfigObject allowed) {
    String full = path + ConfigUtil.joinPath(key);
    if (allowed.isEmpty()) {
      requireSection(full, value);
    } else if (!allowed.containsKey(key)) {
      reject(full, unknown(path, key, value, allowed.keySet()));
    } else if (allowed.get(key) instanceof ConfigObject inner && requireSection(full, value)) {
      section(full + ".", (ConfigObject) value, inner);
    }
  }

  private boolean requireSection(String path, ConfigValue value) {
    if (value.valueType() == ConfigValueType.NULL) {
      known = known.withoutPath(path);
    } else if (value.valueType() != ConfigValueType.OBJECT) {
      reject(path, new Setting(path, value).problem("must be a section: { ... }"));
    }
    return value.valueType() == ConfigValueType.OBJECT;
  }

  private void reject(String path, String problem) {
    problems.add(problem);
    known = known.withoutPath(path);
  }

  private String unknown(String path, String key, ConfigValue value, Set<String> allowed) {
    boolean rootForgotten =
        path.isEmpty() && ConfigKeys.DEFAULTS.getObject(ConfigKeys.ROOT).containsKey(key);
    String hint =
        rootForgotten
            ? " (did you mean '" + ConfigKeys.ROOT + "." + key + "'?)"
            : ForeignNames.KEY.hint(key, allowed);
    return new Setting(path + key, value).unknown(hint + "; allowed: " + new TreeSet<>(allowed));
  }
}
