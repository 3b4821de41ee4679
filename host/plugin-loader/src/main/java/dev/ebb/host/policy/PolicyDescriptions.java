package dev.ebb.host.policy;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the block policies and their settings. */
public final class PolicyDescriptions {

  private final PluginHost plugins;
  private final PolicyFactory factory;

  /**
   * Creates the list.
   *
   * @param plugins the catalog
   * @param factory makes trial instances, because only a provider knows its settings
   */
  @Inject
  public PolicyDescriptions(PluginHost plugins, PolicyFactory factory) {
    this.plugins = plugins;
    this.factory = factory;
  }

  /**
   * Returns every block policy, and the ambiguous names.
   *
   * @return by name, the ambiguous ones after the others, {@code auto} and {@code none} last
   */
  public List<PolicyDescription> all() {
    List<PolicyDescription> all = new ArrayList<>();
    // One catalog for all, because a reload may replace it in between.
    PluginCatalog catalog = plugins.catalog();
    catalog.names(StrategyKind.POLICY).forEach(name -> all.add(describe(catalog, name)));
    catalog
        .undecided(StrategyKind.POLICY)
        .forEach((name, why) -> all.add(new PolicyDescription(name, null, null, List.of(), why)));
    all.add(described(AutoPolicy.NAME, null, null));
    all.add(new PolicyDescription(NoEviction.NAME, null, null, List.of(), null));
    return List.copyOf(all);
  }

  private PolicyDescription describe(PluginCatalog catalog, String name) {
    String plugin = catalog.strategy(StrategyKind.POLICY, name).pluginId();
    return described(name, plugin, version(catalog, plugin));
  }

  private PolicyDescription described(
      String name, @Nullable String plugin, @Nullable String version) {
    List<SettingValue> settings = List.of();
    String problem = null;
    try {
      settings = factory.settings(name);
    } catch (UserError wrong) {
      problem = String.join("; ", wrong.messages());
    } catch (PluginFailure failure) {
      problem = failure.getMessage();
    }
    return new PolicyDescription(name, plugin, version, settings, problem);
  }

  private static @Nullable String version(PluginCatalog catalog, String plugin) {
    return catalog.reports().stream()
        .filter(report -> report.state() == PluginState.LOADED && plugin.equals(report.id()))
        .map(PluginReport::version)
        .findFirst()
        .orElse(null);
  }
}
