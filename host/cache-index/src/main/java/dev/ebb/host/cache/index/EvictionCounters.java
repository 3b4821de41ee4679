package dev.ebb.host.cache.index;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EntryAndBlockCount;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.cache.stats.EvictionReason;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counts what was removed from the cache, by cause and reason, and writes the eviction log. */
public final class EvictionCounters {

  private final EntryAndBlockCount<RemovalCause> byCause =
      new EntryAndBlockCount<>(RemovalCause.class);

  /** What was not chosen by the policy. */
  private final EntryAndBlockCount<EvictionReason> byReason =
      new EntryAndBlockCount<>(EvictionReason.class);

  private final EntryAndBlockCount<EvictedBy> byAccount = new EntryAndBlockCount<>(EvictedBy.class);
  private final Map<String, EntryAndBlockCount<EvictedBy>> byPolicy = new HashMap<>();
  private String lastPolicy = "";
  private EntryAndBlockCount<EvictedBy> ofLastPolicy = new EntryAndBlockCount<>(EvictedBy.class);
  private final Map<PolicyFault.Kind, Long> faults = new EnumMap<>(PolicyFault.Kind.class);
  public final Histogram lifetimes = new Histogram();
  public final Histogram victims = new Histogram();
  public final Histogram passTimes = new Histogram();
  private @Nullable EvictionLog log;
  private long blockBytes;
  private Function<CacheEntry, byte @Nullable []> names = entry -> null;
  private @Nullable Consumer<EvictionPass> passListener;
  private @Nullable Consumer<PolicyFault> faultListener;
  public long refusals;
  public long protectedRefusals;
  public long protectedEvictions;
  public long rejected;
  public long passes;

  /** Chunks that were resident, and not usable because objects of other groups were missing. */
  public long unusable;

  public void log(
      EvictionLog into, long eachBytes, Function<CacheEntry, byte @Nullable []> entryNames) {
    log = into;
    blockBytes = eachBytes;
    names = entryNames;
  }

  /** Returns the pool memory of a block, in bytes; 0 without a log. */
  public long blockBytes() {
    return blockBytes;
  }

  public @Nullable EvictionLog log() {
    return log;
  }

  public void onPass(Consumer<EvictionPass> listener) {
    passListener = listener;
  }

  public void onFault(Consumer<PolicyFault> listener) {
    faultListener = listener;
  }

  public boolean wantsPasses() {
    return passListener != null || log != null;
  }

  /** Records that a part of a chunk, which is to stay, is evicted alone. */
  void thinned(
      CacheEntry entry, int group, int blocks, EvictedBy by, String policy, PolicyClock clock) {
    byReason.add(EvictionReason.THINNED, blocks);
    if (log != null) {
      long now = clock.nanos();
      byte[] name = names.apply(entry);
      EvictionReason reason = EvictionReason.THINNED;
      long bytes = blocks * blockBytes;
      log.add(entry, name, RemovalCause.EVICTED, by, reason, group, bytes, policy, now);
    }
  }

  /** Returns the parts that were evicted alone. */
  public CacheStats.Amount thinned() {
    return byReason.read(EvictionReason.THINNED);
  }

  /** Returns what was evicted because its chunk had become useless. */
  public CacheStats.Amount evictedUseless() {
    return byReason.read(EvictionReason.UNUSABLE);
  }

  /** Records the removal of an entry. Returns its number in the log. */
  long removed(
      CacheEntry entry,
      RemovalCause cause,
      @Nullable EvictedBy by,
      EvictionReason reason,
      String policy,
      PolicyClock clock) {
    if (reason != EvictionReason.CHOSEN) {
      byReason.add(reason, entry.blocks);
    }
    byCause.add(cause, entry.blocks);
    if (by != null) {
      byAccount.add(by, entry.blocks);
      under(policy).add(by, entry.blocks);
    }
    if (log == null) {
      return EvictionLog.NONE;
    }
    long now = clock.nanos();
    lifetimes.add(now - entry.createdNanos);
    boolean asked = cause == RemovalCause.DELETED || cause == RemovalCause.REPLACED;
    if (asked) {
      return EvictionLog.NONE;
    }
    byte[] name = names.apply(entry);
    int group = EvictionRecord.NO_GROUP;
    return log.add(entry, name, cause, by, reason, group, entry.blocks * blockBytes, policy, now);
  }

  /** Names seldom change, so that the last one is kept at hand. */
  // The same text as another object is looked up, and found.
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  private EntryAndBlockCount<EvictedBy> under(String policy) {
    if (policy != lastPolicy) {
      lastPolicy = policy;
      ofLastPolicy =
          byPolicy.computeIfAbsent(policy, any -> new EntryAndBlockCount<>(EvictedBy.class));
    }
    return ofLastPolicy;
  }

  public void passed(EvictionPass pass) {
    passes++;
    passTimes.add(pass.nanos());
    if (log != null) {
      log.add(pass);
    }
    if (passListener != null) {
      passListener.accept(pass);
    }
  }

  public void failed(PolicyFault fault) {
    faults.merge(fault.kind(), 1L, Long::sum);
    if (faultListener != null) {
      faultListener.accept(fault);
    }
  }

  /** Counts an answer that is ignored, for which the policy is not replaced. */
  public void ignored(PolicyFault.Kind kind) {
    faults.merge(kind, 1L, Long::sum);
  }

  public long entries(RemovalCause cause) {
    return byCause.read(cause).entries();
  }

  public Map<RemovalCause, CacheStats.Amount> byCause() {
    return byCause.read();
  }

  public Map<EvictedBy, CacheStats.Amount> byAccount() {
    return byAccount.read();
  }

  public Map<String, Map<EvictedBy, CacheStats.Amount>> byPolicy() {
    Map<String, Map<EvictedBy, CacheStats.Amount>> read = new TreeMap<>();
    byPolicy.forEach((policy, amounts) -> read.put(policy, amounts.read()));
    return read;
  }

  public Map<PolicyFault.Kind, Long> faults() {
    return Map.copyOf(faults);
  }
}
