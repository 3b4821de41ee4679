package dev.ebb.host.app;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.Instance;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.shadow.PolicySource;
import dev.ebb.host.shadow.ShadowedCache;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.PolicyClock;
import java.security.SecureRandom;
import java.util.List;

/** The shadows of a store that serves clients. */
final class StoreShadows implements ShadowedCache, PolicySource, AutoCloseable {

  private static final String OPTION = "ebb.shadow.policies";

  private final Host host;
  private final ObjectStore store;
  private final Shadows shadows;
  private volatile EvictionLimits limits;

  StoreShadows(Host host, ObjectStore store) {
    this.host = host;
    this.store = store;
    limits = RuntimeChanges.limits(host.config().eviction());
    shadows = new Shadows(this, this, 0, new SecureRandom().nextLong());
  }

  Shadows shadows() {
    return shadows;
  }

  void apply(EbbConfig config) {
    shadows.set(
        config.shadow().policies().stream().map(PolicySpec::display).toList(),
        config.shadow().rate());
  }

  void limits(EvictionLimits newLimits) {
    limits = newLimits;
    shadows.restart();
  }

  @Override
  public PolicyCandidate create(
      String policy, String partition, long capacityBlocks, PolicyClock clock) {
    if (policy.equals(BuiltInLru.NAME)) {
      return PolicyCandidate.of(policy, new BuiltInLru());
    }
    return Instance.successor(
        policy,
        host.policies()
            .create(
                PolicySpec.parse(policy, OPTION),
                new PolicyPartition(
                    partition, capacityBlocks, clock, new SecureRandom().nextLong())));
  }

  @Override
  public String code(String policy) {
    try {
      String name = PolicySpec.parse(policy, OPTION).name();
      return String.valueOf(host.policies().version(host.plugins(), name).sha256());
    } catch (UserError gone) {
      return "";
    }
  }

  @Override
  public List<Part> parts() {
    return store.partitions().stream()
        .map(part ->
            new Part(
                part.name(),
                part.cache().capacityBlocks(),
                part.cache().residentBlocks(),
                part.cache().entries()))
        .toList();
  }

  @Override
  public String policy() {
    return store.stats().policy();
  }

  @Override
  public EvictionLimits limits() {
    return limits;
  }

  @Override
  public PolicyClock clock() {
    return TimeSource.SYSTEM::nanos;
  }

  @Override
  public void add(int part, AccessListener tap) {
    store.add(part, tap);
  }

  @Override
  public void remove(int part, AccessListener tap) {
    store.remove(part, tap);
  }

  @Override
  public void locked(int part, Runnable action) {
    store.locked(part, action);
  }

  @Override
  public void residents(int part, ResidentConsumer consumer) {
    store.residents(
        part,
        entry ->
            consumer.accept(
                entry.fingerprint(), entry.blocks(), entry.lastUse(), entry.lastAccessTick()));
  }

  @Override
  public void close() {
    shadows.close();
  }
}
