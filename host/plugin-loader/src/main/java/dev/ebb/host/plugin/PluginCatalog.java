package dev.ebb.host.plugin;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tokens.BudgetRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of the plugin folder: a report for each JAR, and the strategies by name. Immutable.
 */
public final class PluginCatalog {

  private static final String INSTALL = "install its JAR with 'ebb plugins install FILE'";

  /** The kinds of which other software and papers have names. */
  private static final Map<StrategyKind<?>, ForeignNames> FOREIGN_NAMES =
      Map.of(
          StrategyKind.POLICY, ForeignNames.POLICY,
          StrategyKind.TOKEN_POLICY, ForeignNames.TOKEN_POLICY);

  /** The message about the host's own order, which nobody can choose. */
  public static final String FALLBACK =
      "policy '%s' is the fallback after a fault and cannot be chosen; choose another policy"
          .formatted(BuiltInLru.NAME);

  private final EbbConfig config;
  private final List<Generation> generations;
  private final List<Strategy<?>> strategies;
  private final List<PluginReport> reports;

  PluginCatalog(EbbConfig config, List<Generation> generations, List<PluginReport> reports) {
    this.config = config;
    this.generations = List.copyOf(generations);
    this.strategies =
        generations.stream().<Strategy<?>>flatMap(g -> g.strategies().stream()).toList();
    this.reports = reports.stream().map(this::withClashes).toList();
  }

  public List<PluginReport> reports() {
    return reports;
  }

  /** Returns the sorted names that can be chosen, without names on which plugins clash. */
  public List<String> names(StrategyKind<?> kind) {
    return strategies.stream()
        .filter(strategy -> strategy.kind() == kind)
        .map(Strategy::name)
        .distinct()
        .filter(name -> serving(kind, name) != null)
        .sorted()
        .toList();
  }

  /** Returns the names that several plugins offer, each with a message and its remedy. */
  public SortedMap<String, String> undecided(StrategyKind<?> kind) {
    SortedMap<String, String> undecided = new TreeMap<>();
    for (Strategy<?> strategy : strategies) {
      String name = strategy.name();
      if (strategy.kind() == kind && serving(kind, name) == null) {
        List<String> plugins = offering(kind, name).stream().map(Strategy::pluginId).toList();
        undecided.put(name, undecided(kind, name, plugins));
      }
    }
    return undecided;
  }

  /**
   * Returns the strategies that one plugin offers, whether or not it serves the names.
   *
   * @param plugin the plugin's id
   */
  public <P> List<Strategy<P>> offeredBy(StrategyKind<P> kind, String plugin) {
    List<Strategy<P>> offered = new ArrayList<>();
    for (Strategy<?> strategy : strategies) {
      if (strategy.kind() == kind && strategy.pluginId().equals(plugin)) {
        offered.add(cast(strategy));
      }
    }
    offered.sort(Comparator.comparing(Strategy::name));
    return offered;
  }

  /**
   * Returns the strategy of a name.
   *
   * @param name the name as the user gave it
   * @throws UserError if no plugin offers it, or several do
   */
  public <P> Strategy<P> strategy(StrategyKind<P> kind, String name) {
    return strategy(kind, name, kind == StrategyKind.POLICY || kind == StrategyKind.TOKEN_POLICY);
  }

  /**
   * Returns the strategy of a name.
   *
   * @param name the name as the user gave it
   * @param orNone whether {@code none} is allowed there, for the message
   * @throws UserError if no plugin offers it, or several do
   */
  public <P> Strategy<P> strategy(StrategyKind<P> kind, String name, boolean orNone) {
    Strategy<P> serving = serving(kind, name);
    if (serving != null) {
      return serving;
    }
    List<String> offering = offering(kind, name).stream().map(Strategy::pluginId).toList();
    throw new UserError(
        offering.isEmpty() ? unknown(kind, name, orNone) : undecided(kind, name, offering));
  }

  /**
   * Begins a use of the generation that offers a strategy.
   *
   * @return null if it has been unloaded since, because another catalog is active
   */
  public @Nullable Lease lease(Strategy<?> strategy) {
    return generation(strategy).lease();
  }

  /** Returns further uses of the same generation, without this catalog. */
  public Supplier<@Nullable Lease> leases(Strategy<?> strategy) {
    return generation(strategy)::lease;
  }

  /** Returns the code behind a strategy's name. */
  public StrategyVersion version(Strategy<?> strategy) {
    Generation from = generation(strategy);
    return new StrategyVersion(strategy.name(), from.id(), from.version(), from.sha256());
  }

  private Generation generation(Strategy<?> strategy) {
    return generations.stream()
        .filter(generation -> generation.id().equals(strategy.pluginId()))
        .findFirst()
        .orElseThrow();
  }

  private <P> @Nullable Strategy<P> serving(StrategyKind<P> kind, String name) {
    List<Strategy<P>> offered = offering(kind, name);
    String chosen = kind.settingsIn().apply(config).plugin(name);
    if (chosen == null) {
      return offered.size() == 1 ? offered.getFirst() : null;
    }
    return offered.stream().filter(s -> s.pluginId().equals(chosen)).findFirst().orElse(null);
  }

  private <P> List<Strategy<P>> offering(StrategyKind<P> kind, String name) {
    List<Strategy<P>> found = new ArrayList<>();
    for (Strategy<?> strategy : strategies) {
      if (strategy.kind() == kind && strategy.name().equals(name)) {
        found.add(cast(strategy));
      }
    }
    return found;
  }

  // A strategy's kind is the one it was found by, so its service type is the kind's.
  @SuppressWarnings("unchecked")
  private static <P> Strategy<P> cast(Strategy<?> strategy) {
    return (Strategy<P>) strategy;
  }

  private String unknown(StrategyKind<?> kind, String name, boolean orNone) {
    if (kind == StrategyKind.POLICY && name.equals(BuiltInLru.NAME)) {
      return FALLBACK;
    }
    List<String> names = new ArrayList<>(names(kind));
    if (kind == StrategyKind.POLICY) {
      names.add(Providers.AUTO);
    }
    if (kind == StrategyKind.TOKEN_BUDGET) {
      names.addAll(0, BudgetRules.NAMES);
    } else if (kind == StrategyKind.PREEMPTION) {
      names.addAll(0, SchedulerConfig.BUILT_IN);
    }
    if (orNone && !name.equals(Providers.NONE)) {
      names.add(Providers.NONE);
    }
    for (StrategyKind<?> other : StrategyKind.ALL) {
      if (!offering(other, name).isEmpty()) {
        return "'%s' is a %s, and %s; available: %s"
            .formatted(
                name,
                other.noun(),
                kind == StrategyKind.POLICY
                    ? "replays and the cache take block policies"
                    : "here a " + kind.noun() + " is needed",
                names);
      }
    }
    long refused = reports.stream().filter(r -> r.state() == PluginState.REFUSED).count();
    String look = refused == 0 ? "" : "; JARs refused: " + refused + ", see 'ebb plugins list'";
    String near = hint(kind, name, names);
    String reasons = hidden() + look;
    return "no %s named '%s'%s; available: %s%s"
        .formatted(
            kind.noun(),
            name,
            near,
            names,
            near.isEmpty() && reasons.isEmpty() ? "; " + INSTALL : reasons);
  }

  private String hint(StrategyKind<?> kind, String name, List<String> names) {
    int settings = name.indexOf('(');
    if (settings > 0) {
      String alone = name.substring(0, settings).strip();
      return "; write '%s' alone, and its settings under %s"
          .formatted(alone, kind.settingsIn().apply(config).pathOf(alone));
    }
    ForeignNames known = FOREIGN_NAMES.get(kind);
    String hint = known == null ? "" : known.hint(name);
    return hint.isEmpty()
        ? FOREIGN_NAMES.entrySet().stream()
            .flatMap(each -> ofOtherKind(each.getKey(), each.getValue(), name))
            .findFirst()
            .orElseGet(() -> Suggestions.hint(name, names))
        : hint;
  }

  private Stream<String> ofOtherKind(StrategyKind<?> kind, ForeignNames known, String name) {
    return known.name(name).stream()
        .filter(names(kind)::contains)
        .map(own -> " (Ebb has it as the %s '%s')".formatted(kind.noun(), own));
  }

  /** Names the passed-over JARs that may offer the name. */
  private String hidden() {
    return reports.stream()
        .filter(report -> report.state() == PluginState.PASSED_OVER && !isTwin(report))
        .map(report ->
            "; %s may offer it, but is not loaded: %s"
                .formatted(report.file().getFileName(), report.reason()))
        .collect(Collectors.joining());
  }

  private boolean isTwin(PluginReport passedOver) {
    return generations.stream().anyMatch(each -> each.sha256().equals(passedOver.sha256()));
  }

  private String undecided(StrategyKind<?> kind, String name, List<String> offering) {
    String key = kind.settingsIn().apply(config).pathOf(name) + ".plugin";
    String chosen = kind.settingsIn().apply(config).plugin(name);
    return chosen == null
        ? "the %s name '%s' is ambiguous: plugins %s offer it; set %s to one of them"
            .formatted(kind.noun(), name, offering, key)
        : "%s = '%s'%s, but that plugin offers no %s '%s'; plugins that do: %s"
            .formatted(
                key, chosen, Suggestions.hint(chosen, offering), kind.noun(), name, offering);
  }

  /** Adds a note to a loaded plugin whose names another plugin, or none, serves. */
  private PluginReport withClashes(PluginReport report) {
    if (report.state() != PluginState.LOADED) {
      return report;
    }
    String clashes =
        strategies.stream()
            .filter(strategy -> strategy.pluginId().equals(report.id()))
            .map(this::clash)
            .filter(clash -> !clash.isEmpty())
            .collect(Collectors.joining("; "));
    String said = report.reason();
    return report.as(
        PluginState.LOADED,
        said.isEmpty() || clashes.isEmpty() ? said + clashes : said + "; " + clashes);
  }

  private String clash(Strategy<?> strategy) {
    Strategy<?> serving = serving(strategy.kind(), strategy.name());
    if (serving == strategy) {
      return "";
    }
    return serving == null
        ? undecided(
            strategy.kind(),
            strategy.name(),
            offering(strategy.kind(), strategy.name()).stream().map(Strategy::pluginId).toList())
        : "the %s '%s' is served by plugin '%s'"
            .formatted(strategy.kind().noun(), strategy.name(), serving.pluginId());
  }
}
