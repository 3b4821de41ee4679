package dev.ebb.host.runtime;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.spi.PolicyClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The site of a process and those that join it while it runs, as one site with one policy. Their
 * evictions are in the log of the first.
 */
final class JoinedSites implements PolicySite {

  private final PolicySite first;
  private final List<String> expected;
  private final CopyOnWriteArrayList<PolicySite> joined = new CopyOnWriteArrayList<>();

  /** Creates a site without others. */
  JoinedSites(PolicySite first, List<String> expected) {
    this.first = first;
    this.expected = List.copyOf(expected);
  }

  void add(PolicySite site) {
    joined.add(site);
  }

  void remove(PolicySite site) {
    joined.remove(site);
  }

  private Stream<PolicySite> all() {
    return Stream.concat(Stream.of(first), joined.stream());
  }

  @Override
  public List<PolicyPlace> places() {
    return joined.isEmpty()
        ? first.places()
        : all().flatMap(site -> site.places().stream()).toList();
  }

  @Override
  public List<String> placeNames() {
    List<String> names = new ArrayList<>(first.placeNames());
    names.addAll(expected);
    return names;
  }

  @Override
  public @Nullable EvictionLimits limits() {
    return first.limits();
  }

  @Override
  public void limits(EvictionLimits limits) {
    all().forEach(site -> site.limits(limits));
  }

  @Override
  public PolicyClock clock() {
    return first.clock();
  }

  @Override
  public long seed() {
    return first.seed();
  }

  @Override
  public EvictionLog evictionLog() {
    return first.evictionLog();
  }

  @Override
  public SiteUse use() {
    return all().map(PolicySite::use).reduce(SiteUse::plus).orElseThrow();
  }
}
