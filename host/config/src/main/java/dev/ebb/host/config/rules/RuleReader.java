package dev.ebb.host.config.rules;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.ConfigObject;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.TenantQuota;
import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads one of {@code ebb.eviction.rules}. */
public final class RuleReader {

  public static final String EXAMPLE =
      "{ name = tight, when = occupancy, above = \"96 %\", clear-at = \"92 %\", policy = lru }";

  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  public static final List<String> ORDER =
      List.of(
          "name",
          "when",
          "of",
          "above",
          "below",
          "clear-at",
          "sustained-for",
          "min-hold",
          "policy");

  private static final List<String> KEYS = ORDER.stream().sorted().toList();

  private static final Duration SUSTAINED_FOR = Duration.ofSeconds(10);
  private static final Duration MIN_HOLD = Duration.ofMinutes(1);

  private final Setting rule;
  private final ConfigObject section;
  private final List<String> parts;
  private final List<String> problems = new ArrayList<>();

  /** Returns the rules in order, without those with a mistake. */
  public static List<RuleConfig> all(ConfigReader reader) {
    Stream<String> tenants = reader.get(TenantQuota.TENANTS).names().stream();
    boolean engines = reader.get(ServerConfig.SEQUENCES) > 0;
    List<String> parts =
        Stream.of(
                Stream.of(TenantQuota.REST),
                tenants.map(TenantQuota::part),
                engines ? Stream.of(ServerConfig.SEQUENCES_PART) : Stream.<String>empty())
            .flatMap(each -> each)
            .toList();
    Set<String> names = new HashSet<>();
    return reader.each(EvictionConfig.RULES, setting -> rule(setting, parts, names));
  }

  private static RuleConfig rule(Setting setting, List<String> parts, Set<String> names) {
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

  private RuleReader(Setting rule, ConfigObject section, List<String> parts) {
    this.rule = rule;
    this.section = section;
    this.parts = parts;
  }

  /**
   * Returns the rule.
   *
   * @throws UserError with every mistake
   */
  private RuleConfig read() {
    unknownKeys();
    String name = required("name", "name = tight", RuleReader::name);
    RuleSignal when = required("when", "when = occupancy", each -> each.choice(RuleSignal.class));
    String of = when == null ? null : of(when);
    Double bound = when == null ? null : bound(when);
    Double clearAt = bound == null || when == null ? null : clearAt(when, bound);
    Duration sustainedFor = optional("sustained-for", SUSTAINED_FOR, Setting::duration);
    Duration minHold = optional("min-hold", MIN_HOLD, Setting::duration);
    Choice policy = required("policy", "policy = lru", each -> each.choice(each.string()));
    UserError.throwIfAny(problems);
    return new RuleConfig(
        requireNonNull(name),
        requireNonNull(when),
        of,
        requireNonNull(bound),
        requireNonNull(clearAt),
        sustainedFor,
        minHold,
        requireNonNull(policy));
  }

  private void unknownKeys() {
    new TreeMap<>(section)
        .forEach((key, value) -> {
          if (!KEYS.contains(key)) {
            String hint = Suggestions.hint(key, KEYS);
            problems.add(
                new Setting(key, value)
                    .unknown("%s in %s; allowed: %s".formatted(hint, rule.path(), KEYS)));
          }
        });
  }

  private static String name(Setting setting) {
    String name = setting.string();
    if (!NAME.matcher(name).matches()) {
      throw setting.wrong("must be lower-case letters, digits and inner dashes");
    }
    return name;
  }

  private static String label(Setting setting) {
    String label = setting.string();
    if (label.isBlank()) {
      throw setting.wrong("must be a name that 'ebb stats --json' lists, such as llama-3");
    }
    return label;
  }

  private String part(Setting setting) {
    String part = setting.string();
    if (!parts.contains(part)) {
      throw setting.wrong(
          "must be a part of the pool, one of %s; each tenant with a quota has one%s"
              .formatted(parts, Suggestions.hint(part, parts)));
    }
    return part;
  }

  private @Nullable String of(RuleSignal when) {
    if (when.isLabelled()) {
      return required("of", "of = llama-3, whose share it is", RuleReader::label);
    }
    if (when == RuleSignal.OCCUPANCY) {
      return section.containsKey("of") ? given("of", this::part) : null;
    }
    if (section.containsKey("of")) {
      problems.add(
          at("of")
              .problem("applies to model-share, tenant-share and occupancy only; leave it out"));
    }
    return null;
  }

  private @Nullable Double bound(RuleSignal when) {
    boolean both = isAbove() && section.containsKey("below");
    if (both) {
      problems.add(
          at("below")
              .problem(
                  "conflicts with above = '%s'; use one of them: above for an upper bound, below for a lower one"
                      .formatted(Setting.text(at("above").value()))));
      return null;
    }
    if (!isAbove() && !section.containsKey("below")) {
      problems.add(
          rule.problem("needs above or below: the bound at which the rule begins to hold"));
      return null;
    }
    return required(isAbove() ? "above" : "below", "", when::bound);
  }

  private @Nullable Double clearAt(RuleSignal when, double bound) {
    String example =
        "clear-at = ..., on the other side of %s: the value at which the rule clears"
            .formatted(isAbove() ? "above" : "below");
    Double clearAt = required("clear-at", example, when::bound);
    if (clearAt != null && (isAbove() ? clearAt >= bound : clearAt <= bound)) {
      problems.add(
          at("clear-at")
              .problem(
                  isAbove()
                      ? "must be less than above, " + when.text(bound)
                      : "must be more than below, " + when.text(bound)));
    }
    return clearAt;
  }

  private boolean isAbove() {
    return section.containsKey("above");
  }

  private Setting at(String key) {
    return new Setting(rule.path() + "." + key, requireNonNull(section.get(key)));
  }

  private <T> @Nullable T required(String key, String example, Function<Setting, T> reading) {
    if (!section.containsKey(key)) {
      problems.add(rule.problem("needs " + example));
      return null;
    }
    return given(key, reading);
  }

  private <T> T optional(String key, T otherwise, Function<Setting, T> reading) {
    T given = section.containsKey(key) ? given(key, reading) : null;
    return given == null ? otherwise : given;
  }

  private <T> @Nullable T given(String key, Function<Setting, T> reading) {
    return ConfigReader.read(at(key), reading, problems);
  }
}
