package dev.ebb.host.shadow;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.testing.SharedFiles;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RankedBlockPolicy;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A trace as requests on a live cache, in either model of the replay, at a share of its blocks. */
final class Traffic {

  /** They take turns. */
  static final List<String> TENANTS = List.of("ann", "bob", "eve");

  private static final Map<String, Traffic> RECORDED = new ConcurrentHashMap<>();

  private final List<long[]> requests;

  /** When each request arrived. */
  private final LongArrayList times;

  private final long distinct;
  private final @Nullable SizedGroups groups;
  private long now;

  private Traffic(
      List<long[]> requests, LongArrayList times, long distinct, @Nullable SizedGroups groups) {
    this.requests = requests;
    this.times = times;
    this.distinct = distinct;
    this.groups = groups;
  }

  /** Reads a trace. */
  static Traffic of(TraceCursor cursor, boolean chained) {
    List<long[]> requests = new ArrayList<>();
    LongArrayList times = new LongArrayList();
    LongOpenHashSet keys = new LongOpenHashSet();
    while (cursor.next()) {
      TraceRequest from = cursor.request();
      long[] request = new long[from.blocks()];
      long previous = 0;
      for (int i = 0; i < request.length; i++) {
        long id = from.ids()[from.from() + i];
        previous = mix(chained ? previous * 0x9FB21C651E98DF25L + id : id);
        request[i] = previous;
        keys.add(previous);
      }
      if (chained) {
        requests.add(request);
      } else {
        for (long key : request) {
          requests.add(new long[] {key});
        }
      }
      while (times.size() < requests.size()) {
        times.add(from.timestampNanos());
      }
    }
    return new Traffic(requests, times, keys.size(), null);
  }

  /** Returns a recorded trace, which is read once. */
  static Traffic recorded(String name, boolean chained) {
    return RECORDED.computeIfAbsent(
        name + chained,
        key -> {
          String file = SharedFiles.file("traces", name + "_trace.jsonl.gz").toString();
          try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
            return of(reader, chained);
          }
        });
  }

  private static long mix(long value) {
    long bits = value + 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }

  /** Returns the same prompts of a hybrid model. */
  Traffic with(SizedGroups sized) {
    return new Traffic(requests, times, distinct, sized);
  }

  long capacity(double share) {
    return (long) (distinct * share) * (groups == null ? 1 : groups.whole());
  }

  private long nanos() {
    return now;
  }

  /** Returns which chunks the first prompts share. */
  private PromptStarts starts() {
    PromptStarts starts = new PromptStarts();
    requests.stream()
        .limit(256)
        .forEach(keys -> starts.saw(request(new CacheRequest(), keys, RequestFacts.UNKNOWN)));
    return starts;
  }

  private CacheRequest request(CacheRequest request, long[] keys, RequestFacts facts) {
    request.reset(facts, -1);
    request.groups(groups);
    for (long key : keys) {
      request.add(key);
    }
    return request;
  }

  private static BlockPolicy<?> policy(String name, long capacity, PolicyClock clock) {
    return switch (name) {
      case "lru" -> new BuiltInLru();
      case "lfu" -> ranked(Entry::accesses);
      case "fifo" -> ranked(Entry::createdTick);
      default -> PluginPolicies.create(name, capacity, clock);
    };
  }

  private static BlockPolicy<?> ranked(ToDoubleFunction<Entry> order) {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return order.applyAsDouble(entry);
      }
    };
  }

  static final PolicySource SOURCE =
      (String policy, String partition, long capacity, PolicyClock clock) ->
          new PolicyCandidate(policy, policy(policy, capacity, clock));

  /** Runs all requests on a live cache. Returns its hit ratio. */
  double run(String policy, long capacity, List<? extends AccessListener> listeners) {
    return ratios(policy, capacity, listeners)[0];
  }

  /** Does the same. Returns the hit ratio of all requests, then of each of {@link #TENANTS}. */
  double[] ratios(String policy, long capacity, List<? extends AccessListener> listeners) {
    BlockCache cache =
        new InlineBlockCache(capacity, this::nanos, new GhostWindow(1), OnFault.FAIL);
    cache.install(policy, policy(policy, capacity, this::nanos));
    CacheRequest request = new CacheRequest();
    long[] hits = new long[1 + TENANTS.size()];
    long[] references = new long[hits.length];
    for (int i = 0; i < requests.size(); i++) {
      long[] keys = requests.get(i);
      now = times.getLong(i);
      int tenant = i % TENANTS.size();
      String name = TENANTS.get(tenant);
      request(request, keys, RequestFacts.of(name, null));
      int matched = cache.begin(request);
      hits[0] += matched;
      hits[1 + tenant] += matched;
      references[0] += keys.length;
      references[1 + tenant] += keys.length;
      listeners.forEach(sampler -> sampler.began(request));
      cache.admit(request);
      cache.finish(request);
    }
    double[] ratios = new double[hits.length];
    Arrays.setAll(ratios, i -> (double) hits[i] / references[i]);
    return ratios;
  }

  /** A candidate with a sample of its own. */
  final class Shadowing implements AutoCloseable {
    final Sampling sampling;
    final Counts counts = new Counts();
    private final ShadowPolicy candidate;
    private final AccessSampler sampler;

    Shadowing(String policy, long capacity, double rate, long seed) {
      this(policy, capacity, rate, rate, seed);
    }

    /** Creates a candidate with a part of the sample of its listener. */
    Shadowing(String policy, long capacity, double rate, double sampled, long seed) {
      sampling = new Sampling(rate, mix(seed) | 1);
      candidate = new ShadowPolicy(policy, SOURCE, "all", capacity, 1, null, false, sampling, true);
      sampler =
          new AccessSampler(
              0,
              sampling.at(sampled),
              starts(),
              Traffic.this::nanos,
              batch -> candidate.replay(batch, counts));
    }

    AccessSampler sampler() {
      return sampler;
    }

    /** What it says in the end. */
    Estimate estimate() {
      sampler.flush(0);
      candidate.checkSize();
      return Estimate.of(counts, sampling.rate());
    }

    @Override
    public void close() {
      candidate.close();
    }
  }
}
