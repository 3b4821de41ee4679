package dev.ebb.host.policy;

import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts in the order of one of several policies, the one that would have had the most hits lately.
 *
 * <p>All policies receive all events of the cache, so that a switch is immediate. Each of them also
 * has a small cache without values, in which it decides alone, on a sample of the keys (SHARDS,
 * Waldspurger et al., FAST 2015); of hybrid models, on a sample of whole prompts. The hits in these
 * caches are compared: {@link PolicyChooser}.
 */
final class AutoPolicy implements BlockPolicy<AutoPolicy.Node> {

  static final String NAME = "auto";

  private static final Logger LOG = LoggerFactory.getLogger(AutoPolicy.class);

  /** The least entries of a sampled cache, even if the cache itself has fewer. */
  private static final int LEAST_SAMPLE = 8;

  /** The most keys of requests that wait for the sampled caches. */
  private static final int MOST_WAITING = 1 << 15;

  /** Keys that each event takes at least from those that wait, so that no event takes long. */
  private static final int KEYS_PER_EVENT = 32;

  /** Sampled accesses between two decisions. */
  private static final int STEP = 64;

  /** Another size of the sampled caches has to differ by this share. */
  private static final double RESIZE = 0.05;

  private final String partition;
  private final List<String> names;
  private final List<BlockPolicy<Object>> policies;
  private final List<StrategyInstance<BlockPolicy<?>>> instances;
  private final List<SampledCache> samples;
  private final PolicyClock clock;
  private final long salt;
  private final double bound;
  private final int[] hits;
  private final Deque<SampledRequest> waiting = new ArrayDeque<>();
  private final PromptStarts starts = new PromptStarts();
  private final IdentityHashMap<Entry, Node> aside = new IdentityHashMap<>();

  private long threshold = Long.MAX_VALUE;
  private double rate = 1;
  private long waitingKeys;
  private boolean inRequest;
  private boolean evicts;
  private boolean warm;

  /** The capacity of the cache in blocks, and that of the sampled caches. */
  private long blocks;

  private long capacity;

  /** There are chunks of hybrid models: the sampled caches count blocks, not entries. */
  private boolean weighs;

  private long accesses;
  private long size;
  private int chosen;
  private @Nullable PolicyChooser chooser;

  /** An entry with the nodes that the policies have for it. */
  static final class Node {

    private final Entry entry;
    private final Object[] inner;

    /** The policies that have set it aside, as bits. */
    private int aside;

    private Node(Entry entry, int policies) {
      this.entry = entry;
      inner = new Object[policies];
    }
  }

  /**
   * Creates a policy.
   *
   * @param specs the policies, the first one is chosen at first
   * @param instances one of each, for the cache
   * @param samples one of each, in a cache of its own
   * @param bound the regret beyond which only the best policy since the start counts
   */
  @SuppressWarnings("unchecked") // Each node is given back to the policy that returned it.
  AutoPolicy(
      PolicyPartition partition,
      List<PolicySpec> specs,
      List<StrategyInstance<BlockPolicy<?>>> instances,
      List<SampledCache> samples,
      double bound) {
    this.partition = partition.name();
    this.instances = instances;
    this.samples = samples;
    this.bound = bound;
    clock = partition.clock();
    blocks = partition.capacityBlocks();
    salt = partition.seed() * 0x9E3779B97F4A7C15L | 1;
    names = specs.stream().map(PolicySpec::display).toList();
    policies = new ArrayList<>();
    instances.forEach(each -> policies.add((BlockPolicy<Object>) each.value()));
    hits = new int[specs.size()];
  }

  private boolean isSampled(long key) {
    return ((key * salt) >>> 1) < threshold;
  }

  @Override
  public void began(Request request) {
    inRequest = true;
    policies.forEach(policy -> policy.began(request));
  }

  @Override
  public void ended(Request request) {
    policies.forEach(policy -> policy.ended(request));
    inRequest = false;
    record(SampledRequest.of(request, clock.nanos(), this::isSampled, starts));
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = new Node(entry, policies.size());
    for (int i = 0; i < node.inner.length; i++) {
      node.inner[i] = policies.get(i).inserted(entry);
    }
    size++;
    if (!inRequest && entry.origin() == Origin.NEW) {
      used(entry);
    }
    return node;
  }

  @Override
  public void accessed(Node node) {
    for (int i = 0; i < node.inner.length; i++) {
      policies.get(i).accessed(node.inner[i]);
    }
    if (!inRequest) {
      used(node.entry);
    }
  }

  private void used(Entry object) {
    if (object.groups() == 1 && isSampled(object.fingerprint())) {
      record(SampledRequest.of(object, clock.nanos()));
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    if (!evicts) {
      evicts = true;
      measure();
    }
    BlockPolicy<Object> policy = policies.get(chosen);
    while (true) {
      Entry offered = policy.victim(demand);
      Node node = offered == null || aside.isEmpty() ? null : aside.get(offered);
      if (node == null) {
        return offered;
      }
      // Another policy offered it before, and the host still refuses it.
      setAside(node);
    }
  }

  @Override
  public boolean admits(Request request, int index, Node victim) {
    return policies.get(chosen).admits(request, index, victim.inner[chosen]);
  }

  @Override
  public void lookupMissed(long fingerprint) {
    policies.forEach(policy -> policy.lookupMissed(fingerprint));
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    for (int i = 0; i < node.inner.length; i++) {
      policies.get(i).removed(node.inner[i], cause);
    }
    size--;
    aside.remove(node.entry);
    long key = node.entry.fingerprint();
    if (cause != RemovalCause.EVICTED && (node.entry.groups() > 1 || isSampled(key))) {
      record(SampledRequest.removal(key, cause));
    }
  }

  @Override
  public void refused(Node node) {
    aside.put(node.entry, node);
    setAside(node);
  }

  private void setAside(Node node) {
    node.aside |= 1 << chosen;
    policies.get(chosen).refused(node.inner[chosen]);
  }

  @Override
  public void released(Node node) {
    aside.remove(node.entry);
    for (int i = 0; i < node.inner.length; i++) {
      if ((node.aside & 1 << i) != 0) {
        policies.get(i).released(node.inner[i]);
      }
    }
    node.aside = 0;
  }

  /** Remembers a request for the sampled caches, and lets them run some that wait. */
  private void record(@Nullable SampledRequest request) {
    int keys = KEYS_PER_EVENT;
    if (request != null) {
      keys += 2 * request.keys().length;
      waiting.add(request);
      waitingKeys += request.keys().length;
      while (waitingKeys > MOST_WAITING) {
        makeRoom();
      }
    }
    if (evicts) {
      run(keys);
    }
  }

  private void makeRoom() {
    if (size * rate > SampledCache.MOST_ENTRIES) {
      halve();
      int requests = waiting.size();
      waitingKeys = 0;
      for (int i = 0; i < requests; i++) {
        SampledRequest less = waiting.remove().within(this::isSampled);
        if (less != null) {
          waiting.add(less);
          waitingKeys += less.keys().length;
        }
      }
    } else {
      // The sample is small enough: only what happened long ago is left out.
      waitingKeys -= waiting.remove().keys().length;
    }
  }

  /** Halves the sample. Requests that wait may have more. */
  private void halve() {
    threshold /= 2;
    rate /= 2;
  }

  /** Chooses sample and capacity of the sampled caches: the cache is full for the first time. */
  private void measure() {
    while (size * rate > SampledCache.MOST_ENTRIES) {
      halve();
    }
    resizeSamples();
    long entries = Math.max(LEAST_SAMPLE, Math.round(size * rate));
    chooser = new PolicyChooser(names.size(), entries, bound);
  }

  private void resizeSamples() {
    long next = Math.max(LEAST_SAMPLE, Math.round((weighs ? blocks : size) * rate));
    if (Math.abs(next - capacity) > RESIZE * capacity) {
      capacity = next;
      samples.forEach(sample -> sample.resize(next));
    }
  }

  private void run(int keys) {
    int taken = 0;
    while (taken < keys && !waiting.isEmpty()) {
      SampledRequest waited = waiting.remove();
      waitingKeys -= waited.keys().length;
      taken += waited.keys().length;
      SampledRequest request = waited.within(this::isSampled);
      if (request == null) {
        continue;
      }
      SizedGroups groups = groups(request);
      for (int i = 0; i < hits.length; i++) {
        hits[i] += samples.get(i).run(request, groups);
      }
      accesses += request.keys().length - request.counted();
      if (accesses >= STEP) {
        decide();
      }
    }
  }

  /** Returns the weights of a request's blocks; null if all blocks of the samples weigh one. */
  private @Nullable SizedGroups groups(SampledRequest request) {
    if (request.groups() != null) {
      if (!weighs) {
        weighs = true;
        resizeSamples();
      }
      return request.groups();
    }
    int each = (int) Math.max(1, Math.round((double) blocks / Math.max(1, size)));
    return weighs ? new SizedGroups(ObjectGroups.ONE, List.of(each)) : null;
  }

  private void decide() {
    PolicyChooser chooses = chooser;
    // Until all of them have been full, they hit the same.
    warm = warm || samples.stream().allMatch(SampledCache::warm);
    if (chooses != null && warm && chooses.count(accesses, hits)) {
      int before = chosen;
      chosen = chooses.choice();
      LOG.info(
          "automatic choice partition={} policy={} before={} hit-ratio={} hit-ratio-before={}"
              + " regret={}",
          partition,
          names.get(chosen),
          names.get(before),
          percent(chooses.hitRatio(chosen)),
          percent(chooses.hitRatio(before)),
          percent(chooses.regret()));
    }
    accesses = 0;
    Arrays.fill(hits, 0);
    resizeSamples();
  }

  private static String percent(double share) {
    return "%.2f %%".formatted(100 * share);
  }

  @Override
  public long size() {
    return policies.get(chosen).size();
  }

  @Override
  public void resized(long capacityBlocks) {
    blocks = capacityBlocks;
    policies.forEach(policy -> policy.resized(capacityBlocks));
  }

  @Override
  public double score(Node node) {
    return policies.get(chosen).score(inner(node));
  }

  @Override
  public String explain(Node node) {
    String by = policies.get(chosen).explain(inner(node));
    return by.isEmpty() ? "in the order of " + names.get(chosen) : names.get(chosen) + ": " + by;
  }

  private Object inner(Node node) {
    return node.inner[chosen];
  }

  @Override
  public Map<String, Double> gauges() {
    Map<String, Double> all = new LinkedHashMap<>();
    PolicyChooser chooses = chooser;
    for (int i = 0; i < names.size(); i++) {
      String name = gauge(names.get(i));
      all.put(AutoChoice.gauge(names.get(i)), i == chosen ? 1.0 : 0.0);
      if (chooses != null) {
        all.put("hit-ratio-" + name, chooses.hitRatio(i));
        all.put("hit-ratio-lately-" + name, chooses.hitRatioLately(i));
      }
    }
    if (chooses != null) {
      all.put("regret", chooses.regret());
      all.put("switches", (double) chooses.switches());
      all.put("follows-best-only", chooses.bounded() ? 1.0 : 0.0);
    }
    all.put("sample-entries", (double) capacity);
    return all;
  }

  /** Returns the name of a policy as a part of the names of gauges. */
  static String gauge(String name) {
    return name.replaceAll("[^a-z0-9]+", "-").replaceAll("-$", "");
  }

  @Override
  public void close() {
    samples.forEach(SampledCache::close);
    instances.forEach(StrategyInstance::close);
  }
}
