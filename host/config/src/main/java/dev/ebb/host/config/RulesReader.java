package dev.ebb.host.config;

import com.typesafe.config.ConfigObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Reads {@code ebb.eviction.rules}. */
final class RulesReader {

  static final String EXAMPLE =
      "{ name = tight, when = occupancy, above = \"96 %\", clear-at = \"92 %\", policy = lru }";

  private final List<String> parts;
  private final Set<String> names = new HashSet<>();

  private RulesReader(List<String> parts) {
    this.parts = parts;
  }

  /** Returns the rules in order, without those with a mistake. */
  static List<RuleConfig> read(ConfigReader reader) {
    Stream<String> tenants = reader.get(TenantQuota.TENANTS).names().stream();
    List<String> parts =
        Stream.concat(Stream.of(TenantQuota.REST), tenants.map(TenantQuota::part)).toList();
    return reader.each(EvictionConfig.RULES, new RulesReader(parts)::rule);
  }

  private RuleConfig rule(Setting setting) {
    if (!(setting.value() instanceof ConfigObject section)) {
      throw setting.wrong("must be a rule, such as " + EXAMPLE);
    }
    RuleConfig rule = new RuleReader(setting, section, parts).read();
    if (!names.add(rule.name())) {
      throw setting.wrong(
          "is a second rule named '%s'; choose another name".formatted(rule.name()));
    }
    return rule;
  }
}
