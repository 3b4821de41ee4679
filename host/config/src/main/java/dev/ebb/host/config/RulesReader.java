package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Reads {@code ebb.eviction.rules}. */
final class RulesReader {

  static final String EXAMPLE =
      "{ name = tight, when = occupancy, above = \"96 %\", clear-at = \"92 %\", policy = lru }";

  private static final String PATH = "ebb.eviction.rules";
  private static final String TENANTS = "ebb.tenants";

  private final Config all;
  private final List<String> problems;

  RulesReader(Config all, List<String> problems) {
    this.all = all;
    this.problems = problems;
  }

  private List<String> parts() {
    Stream<String> tenants =
        all.hasPath(TENANTS)
            ? all.getObject(TENANTS).keySet().stream().sorted().map(TenantQuota::part)
            : Stream.of();
    return Stream.concat(Stream.of(TenantQuota.REST), tenants).toList();
  }

  /** Returns the rules in order; one with a mistake is left out, and the mistake is a problem. */
  List<RuleConfig> read() {
    ConfigValue value = all.getValue(PATH);
    if (!(value instanceof ConfigList list)) {
      problems.add(
          new Setting(PATH, value)
              .problem("must be a list of rules, such as [%s]".formatted(EXAMPLE)));
      return List.of();
    }
    List<RuleConfig> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      Setting setting = new Setting("%s[%d]".formatted(PATH, i + 1), list.get(i));
      if (!(list.get(i) instanceof ConfigObject section)) {
        problems.add(setting.problem("must be a rule, such as " + EXAMPLE));
        continue;
      }
      RuleConfig rule = new RuleReader(setting, section, parts(), problems).read();
      if (rule != null && !names.add(rule.name())) {
        problems.add(
            setting.problem(
                "is a second rule named '%s'; choose another name".formatted(rule.name())));
      } else if (rule != null) {
        rules.add(rule);
      }
    }
    return rules;
  }
}
