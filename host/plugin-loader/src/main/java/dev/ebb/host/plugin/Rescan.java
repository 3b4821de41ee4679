package dev.ebb.host.plugin;

import java.util.List;

/**
 * What the drop-in folder gives now, loaded beside what serves, and not yet active: to be accepted
 * or dismissed at {@link PluginHost}.
 */
public final class Rescan {

  private final PluginCatalog catalog;
  private final List<Generation> generations;
  private final List<Generation> before;
  private final ScanTimes times;

  Rescan(
      PluginCatalog catalog,
      List<Generation> generations,
      List<Generation> before,
      ScanTimes times) {
    this.catalog = catalog;
    this.generations = List.copyOf(generations);
    this.before = List.copyOf(before);
    this.times = times;
  }

  /**
   * What would be active.
   *
   * @return the catalog
   */
  public PluginCatalog catalog() {
    return catalog;
  }

  /**
   * What was loaded for it.
   *
   * @return copies that did not serve before
   */
  public List<Generation> fresh() {
    return generations.stream().filter(each -> !before.contains(each)).toList();
  }

  /**
   * What would not serve any more.
   *
   * @return copies that serve now
   */
  public List<Generation> dropped() {
    return before.stream().filter(each -> !generations.contains(each)).toList();
  }

  /**
   * What it cost.
   *
   * @return times of all JARs together
   */
  public ScanTimes times() {
    return times;
  }

  List<Generation> generations() {
    return generations;
  }
}
