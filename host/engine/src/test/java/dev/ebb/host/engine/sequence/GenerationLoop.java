package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.prune.TokenPolicies;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.stats.PruningStats;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.KeyRotation;
import dev.ebb.host.tokens.KeyRotation.Pairing;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A generation loop over the pool, beside plain arrays of everything that was ever computed. After
 * each step attention over the rows in use equals attention over the arrays with the dropped tokens
 * left out; a {@link Checking} policy holds each signal against the arrays.
 */
public final class GenerationLoop implements AutoCloseable {

  private static final int LAYERS = 2;
  private static final int KV_HEADS = 2;
  private static final int GROUP = 2;
  private static final int DIM = 6;
  private static final int LANES = LAYERS * KV_HEADS;
  private static final int BLOCK_TOKENS = 4;
  private static final float CLOSE = 1e-5f;

  /** Queries that mean and covariance leave out. */
  private static final int SKIPPED = 3;

  private static final Rotation ROTATION = KeyRotation.ofBase(4, 100, Pairing.INTERLEAVED);

  private final Random random = new Random(7);
  private final KvLayout layout;
  private final KvPool pool;
  private final Engine engine = new Engine();
  private final TokenPolicies policies;
  final TokenPruner manager;
  final Sequence sequence;

  /** By lane: K and V of every position. */
  private final List<List<float[]>> keys = new ArrayList<>();

  private final List<List<float[]>> values = new ArrayList<>();

  /** By query head over all layers: the query of every position. */
  private final List<List<float[]>> queries = new ArrayList<>();

  /** By lane: the attention that each position has received. */
  private final List<List<Double>> received = new ArrayList<>();

  /** Where a key comes from: lane and position. */
  private final Map<Float, int[]> origins = new HashMap<>();

  private final boolean attention;
  private final boolean unrotated;
  private int longest;

  /**
   * A loop.
   *
   * @param device where the pool is to be
   * @param laneGroups lane groups of a block
   * @param config what is configured
   * @param observed what the loop hands over
   * @param policy makes a policy, given its name
   */
  public GenerationLoop(
      Device device,
      int laneGroups,
      TokensConfig config,
      Observations observed,
      BiFunction<GenerationLoop, String, TokenPolicy> policy) {
    this(device, laneGroups, config, observed, policy, name -> BudgetRules.of(name).orElseThrow());
  }

  GenerationLoop(
      Device device,
      int laneGroups,
      TokensConfig config,
      Observations observed,
      BiFunction<GenerationLoop, String, TokenPolicy> policy,
      Function<String, TokenBudget> budget) {
    layout = new KvLayout(LAYERS, KV_HEADS, DIM, BLOCK_TOKENS, DType.FP32, laneGroups);
    pool = KvPool.open(layout, device, 300L * laneGroups * layout.blockBytes());
    attention = observed.attention();
    unrotated = observed.rotation() != null;
    engine.add(
        pool,
        new InlineBlockCache(300, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK),
        0.9,
        0.8);
    engine.signals.observed(observed);
    policies =
        new TokenPolicies(
            config,
            layout,
            observed,
            spec -> StrategyInstance.builtIn(spec.name(), policy.apply(this, spec.name())),
            name -> StrategyInstance.builtIn(name, budget.apply(name)));
    manager = new TokenPruner(engine, config, policies);
    for (int i = 0; i < LANES * GROUP; i++) {
      keys.add(new ArrayList<>());
      values.add(new ArrayList<>());
      queries.add(new ArrayList<>());
      received.add(new ArrayList<>());
    }
    sequence = engine.open(SequenceRequest.of(Namespace.of("tiny")));
  }

  /**
   * An engine with two query heads for each KV head.
   *
   * @param queries whether it hands over queries, the same as they are before their rotation
   * @param attention whether it hands over attention
   * @return what it hands over
   */
  public static Observations observing(boolean queries, boolean attention) {
    Observations observed = new Observations(KV_HEADS * GROUP, queries, attention);
    return queries ? observed.withUnrotatedQueries(ROTATION) : observed;
  }

  /**
   * A configuration of one policy.
   *
   * @param budget the budget rule
   * @param window the most tokens of a sequence, 0 for any number
   * @param ratio the share that stays
   * @return the configuration
   */
  public static TokensConfig config(String budget, int window, double ratio) {
    return config(
        "policy = checking, budget = %s, window = %d, target-ratio = %s"
            .formatted(budget, window, ratio));
  }

  /**
   * A configuration, of memory that never is short unless it says otherwise.
   *
   * @param tokens the settings in {@code ebb.tokens}
   * @return the configuration
   */
  public static TokensConfig config(String tokens) {
    LoadedConfig loaded =
        new ConfigLoader(Path.of("none"), Path.of("none"))
            .load(null, "ebb.tokens { memory-threshold = 1 B, %s }".formatted(tokens));
    assertThat(loaded.problems()).isEmpty();
    return loaded.config().tokens();
  }

  /**
   * Computes one token after another.
   *
   * @param steps how many
   * @return what the cache manager did after each
   */
  public List<TokenEviction> run(int steps) {
    List<TokenEviction> evictions = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      sequence.append(1);
      computeAndObserve();
      evictions.add(manager.maybeEvict(sequence));
      longest = Math.max(longest, sequence.length());
      check();
    }
    return evictions;
  }

  /**
   * The most tokens that the sequence had after any step.
   *
   * @return rows of its longest lane
   */
  public int longest() {
    return longest;
  }

  /**
   * Blocks in use now.
   *
   * @return blocks
   */
  public int usedBlocks() {
    return pool.blocks() - pool.freeBlocks();
  }

  /** What the engine counts of its token policies. */
  PruningStats pruning() {
    return Inspection.stats(engine).pruning();
  }

  /** The counters of one token policy; null if none of this name was used. */
  PruningStats.@Nullable Policy pruning(String policy) {
    return pruning().policies().stream()
        .filter(each -> each.name().equals(policy))
        .findFirst()
        .orElse(null);
  }

  /** Computes the token that was appended last. */
  void computeAndObserve() {
    compute();
    observe(() -> 0);
  }

  /** Makes up the token that was appended last, and stores it. */
  void compute() {
    int position = sequence.position() - 1;
    try (KvAccess access = sequence.access()) {
      for (int lane = 0; lane < LANES; lane++) {
        float[] key = vector();
        float[] value = vector();
        keys.get(lane).add(key);
        values.get(lane).add(value);
        received.get(lane).add(0d);
        origins.put(key[0], new int[] {lane, position});
        int row = access.length(lane) - 1;
        transfer(lane, row, false, key, true);
        transfer(lane, row, true, value, true);
        for (int i = 0; i < GROUP; i++) {
          queries.get(lane * GROUP + i).add(vector());
        }
      }
    }
  }

  private float[] vector() {
    float[] vector = new float[DIM];
    for (int dim = 0; dim < DIM; dim++) {
      vector[dim] = (float) random.nextGaussian();
    }
    return vector;
  }

  private void transfer(int lane, int row, boolean value, float[] content, boolean write) {
    int block = sequence.home.table.block(row / BLOCK_TOKENS, lane / layout.lanes());
    int offset = layout.rowOffset(lane % layout.lanes(), value, row % BLOCK_TOKENS);
    if (write) {
      pool.memory().write(block, offset, MemorySegment.ofArray(content));
    } else {
      pool.memory().read(block, offset, MemorySegment.ofArray(content));
    }
  }

  /**
   * Hands over the newest token's queries and attention, and adds the latter up.
   *
   * @param meter counts something
   * @return how much of it the calls took
   */
  long observe(LongSupplier meter) {
    long taken = 0;
    try (KvAccess access = sequence.reading()) {
      for (int layer = 0; layer < LAYERS; layer++) {
        int most = 0;
        for (int head = 0; head < KV_HEADS; head++) {
          most = Math.max(most, access.length(layer * KV_HEADS + head));
        }
        float[] rows = new float[KV_HEADS * GROUP * most];
        float[] newest = new float[KV_HEADS * GROUP * DIM];
        for (int head = 0; head < KV_HEADS * GROUP; head++) {
          int lane = layer * KV_HEADS + head / GROUP;
          int[] positions = access.positions(lane);
          double[] shares = shares(lane * GROUP + head % GROUP, positions, sequence.position() - 1);
          for (int row = 0; row < positions.length; row++) {
            rows[head * most + row] = (float) shares[row];
            received
                .get(lane)
                .set(positions[row], received.get(lane).get(positions[row]) + shares[row]);
          }
          System.arraycopy(
              queries.get(lane * GROUP + head % GROUP).getLast(), 0, newest, head * DIM, DIM);
        }
        MemorySegment given = MemorySegment.ofArray(newest);
        MemorySegment looked = MemorySegment.ofArray(rows);
        long before = meter.getAsLong();
        sequence.observeQueries(layer, 1, given);
        if (attention) {
          sequence.observeAttention(layer, 1, looked);
        }
        if (unrotated) {
          sequence.observeUnrotatedQueries(layer, 1, given);
        }
        taken += meter.getAsLong() - before;
      }
    }
    return taken;
  }

  /** The softmax of a query over some positions, of those up to its own. */
  private double[] shares(int queryHead, int[] positions, int of) {
    double[] shares = new double[positions.length];
    double total = 0;
    for (int i = 0; i < positions.length; i++) {
      if (positions[i] <= of) {
        float[] key = keys.get(queryHead / GROUP).get(positions[i]);
        double dot = 0;
        for (int dim = 0; dim < DIM; dim++) {
          dot += (double) queries.get(queryHead).get(of)[dim] * key[dim];
        }
        shares[i] = Math.exp(dot / Math.sqrt(DIM));
        total += shares[i];
      }
    }
    for (int i = 0; i < shares.length; i++) {
      shares[i] /= total;
    }
    return shares;
  }

  /** Attention over the rows in use equals attention over all with the dropped ones left out. */
  private void check() {
    try (KvAccess access = sequence.reading()) {
      for (int queryHead = 0; queryHead < LANES * GROUP; queryHead++) {
        int lane = queryHead / GROUP;
        int[] positions = access.positions(lane);
        double[] shares = shares(queryHead, positions, sequence.position() - 1);
        double[] expected = new double[DIM];
        double[] found = new double[DIM];
        double total = 0;
        for (int row = 0; row < positions.length; row++) {
          float[] key = new float[DIM];
          float[] value = new float[DIM];
          transfer(lane, row, false, key, false);
          transfer(lane, row, true, value, false);
          float dot = 0;
          for (int dim = 0; dim < DIM; dim++) {
            dot += queries.get(queryHead).getLast()[dim] * key[dim];
            expected[dim] += shares[row] * values.get(lane).get(positions[row])[dim];
          }
          double weight = Math.exp(dot / Math.sqrt(DIM));
          total += weight;
          for (int dim = 0; dim < DIM; dim++) {
            found[dim] += weight * value[dim];
          }
        }
        for (int dim = 0; dim < DIM; dim++) {
          assertThat((float) (found[dim] / total)).isCloseTo((float) expected[dim], within(CLOSE));
        }
      }
    }
  }

  @Override
  public void close() {
    sequence.close();
    assertThat(pool.freeBlocks()).isEqualTo(pool.blocks());
    engine.close();
    policies.close();
    pool.close();
  }

  /** Compares all it sees with the loop's arrays, and scores as if by chance. */
  public static class Checking implements TokenPolicy {

    private final GenerationLoop loop;
    private final Set<Signal> signals;
    private final Granularity granularity;
    private final Trigger trigger;
    private final int window;
    private final Map<List<Integer>, Float> written = new HashMap<>();
    private int checked;

    /**
     * A policy.
     *
     * @param loop what it compares with
     * @param signals what it reads, the keys among it
     * @param granularity how finely kept sets may differ
     * @param trigger when it runs
     * @param window queries of window attention
     */
    public Checking(
        GenerationLoop loop,
        Set<Signal> signals,
        Granularity granularity,
        Trigger trigger,
        int window) {
      this.loop = loop;
      this.signals = signals;
      this.granularity = granularity;
      this.trigger = trigger;
      this.window = window;
    }

    /**
     * How often it has scored.
     *
     * @return layers scored
     */
    public int checked() {
      return checked;
    }

    @Override
    public Set<Signal> signals() {
      return signals;
    }

    @Override
    public int window() {
      return window;
    }

    @Override
    public int skippedQueries() {
      return SKIPPED;
    }

    @Override
    public Granularity granularity() {
      return granularity;
    }

    @Override
    public Trigger trigger() {
      return trigger;
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      mask.set(Math.max(0, view.length() - window), view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      int length = view.length();
      assertThat(view.position()).isEqualTo(loop.sequence.position());
      assertThat(view.queryHeads()).isEqualTo(view.kvHeads() * GROUP);
      float[] seen = floats(view, Signal.KEYS, layer);
      assertThat(seen).hasSize(view.kvHeads() * length * DIM);
      for (int head = 0; head < view.kvHeads(); head++) {
        int lane = 0;
        int[] positions = new int[length];
        for (int i = 0; i < length; i++) {
          int[] origin = requireNonNull(loop.origins.get(seen[(head * length + i) * DIM]));
          lane = origin[0];
          positions[i] = origin[1];
          assertThat(i == 0 || positions[i - 1] < positions[i]).isTrue();
        }
        checkState(view, layer, head, lane, positions);
        checkSums(view, layer, head, lane, positions);
        checkKeys(view, layer, head, lane, positions);
        checkValues(view, layer, head, lane, positions);
        checkQueries(view, layer, head, lane);
        checkWindow(view, layer, head, lane, positions);
        if (granularity == Granularity.KV_HEAD || head == 0) {
          for (int i = 0; i < length; i++) {
            out[(granularity == Granularity.KV_HEAD ? head * length : 0) + i] =
                new Random(positions[i] * 31L + lane).nextFloat();
          }
        }
      }
      checked++;
    }

    /** Reads what it wrote when it saw the token last. */
    private void checkState(TokenView view, int layer, int head, int lane, int[] positions) {
      MemorySegment state = view.signal(Signal.STATE, layer);
      for (int i = 0; i < positions.length; i++) {
        assertThat(view.position(layer, head, i)).isEqualTo(positions[i]);
        long at = (long) head * positions.length + i;
        float expected = written.getOrDefault(List.of(lane, positions[i]), 0f);
        assertThat(state.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at)).isEqualTo(expected);
        state.setAtIndex(
            ValueLayout.JAVA_FLOAT_UNALIGNED, at, expected + lane + positions[i] + 0.5f);
        written.put(List.of(lane, positions[i]), expected + lane + positions[i] + 0.5f);
      }
    }

    private void checkSums(TokenView view, int layer, int head, int lane, int[] positions) {
      if (signals.contains(Signal.ACCUMULATED_ATTENTION)) {
        float[] sums = floats(view, Signal.ACCUMULATED_ATTENTION, layer);
        for (int i = 0; i < positions.length; i++) {
          assertThat(sums[head * positions.length + i])
              .isCloseTo((float) (double) loop.received.get(lane).get(positions[i]), within(1e-4f));
        }
      }
    }

    private void checkKeys(TokenView view, int layer, int head, int lane, int[] positions) {
      float[] norms = floats(view, Signal.KEY_NORM, layer);
      float[] means = floats(view, Signal.KEY_MEAN, layer);
      double[] mean = new double[DIM];
      for (int i = 0; i < positions.length; i++) {
        float[] key = loop.keys.get(lane).get(positions[i]);
        double squares = 0;
        for (float element : key) {
          squares += (double) element * element;
        }
        assertThat(norms[head * positions.length + i])
            .isCloseTo((float) Math.sqrt(squares), within(CLOSE));
        for (int dim = 0; dim < DIM; dim++) {
          mean[dim] += key[dim] / Math.sqrt(squares) / positions.length;
        }
      }
      for (int dim = 0; dim < DIM; dim++) {
        assertThat(means[head * DIM + dim]).isCloseTo((float) mean[dim], within(CLOSE));
      }
    }

    private void checkValues(TokenView view, int layer, int head, int lane, int[] positions) {
      float[] norms = floats(view, Signal.VALUE_NORM, layer);
      assertThat(norms).hasSize(view.kvHeads() * positions.length);
      for (int i = 0; i < positions.length; i++) {
        double squares = 0;
        for (float element : loop.values.get(lane).get(positions[i])) {
          squares += (double) element * element;
        }
        assertThat(norms[head * positions.length + i])
            .isCloseTo((float) Math.sqrt(squares), within(CLOSE));
      }
    }

    private void checkQueries(TokenView view, int layer, int head, int lane) {
      assertThat(view.rotation()).isSameAs(ROTATION);
      float[] means = floats(view, Signal.QUERY_MEAN, layer);
      float[] covariances = floats(view, Signal.QUERY_COVARIANCE, layer);
      assertThat(means).hasSize(view.queryHeads() * DIM);
      assertThat(covariances).hasSize(view.queryHeads() * DIM * DIM);
      for (int of = 0; of < GROUP; of++) {
        List<float[]> all = loop.queries.get(lane * GROUP + of);
        List<float[]> queries = all.subList(SKIPPED, all.size());
        int at = (head * GROUP + of) * DIM;
        double[] mean = new double[DIM];
        for (int i = 0; i < DIM; i++) {
          for (float[] query : queries) {
            mean[i] += query[i] / queries.size();
          }
          assertThat(means[at + i]).isCloseTo((float) mean[i], within(CLOSE));
        }
        for (int i = 0; i < DIM * DIM; i++) {
          double sum = 0;
          for (float[] query : queries) {
            sum += (query[i / DIM] - mean[i / DIM]) * (query[i % DIM] - mean[i % DIM]);
          }
          assertThat(covariances[at * DIM + i])
              .isCloseTo((float) (sum / queries.size()), within(CLOSE));
        }
      }
    }

    private void checkWindow(TokenView view, int layer, int head, int lane, int[] positions) {
      if (!signals.contains(Signal.WINDOW_ATTENTION)) {
        return;
      }
      float[] rows = floats(view, Signal.WINDOW_ATTENTION, layer);
      int count = Math.min(window, positions.length);
      assertThat(rows).hasSize(view.queryHeads() * count * positions.length);
      for (int i = 0; i < GROUP; i++) {
        for (int t = 0; t < count; t++) {
          int of = loop.sequence.position() - count + t;
          double[] shares = loop.shares(lane * GROUP + i, positions, of);
          int at = ((head * GROUP + i) * count + t) * positions.length;
          for (int index = 0; index < positions.length; index++) {
            assertThat(rows[at + index]).isCloseTo((float) shares[index], within(CLOSE));
          }
        }
      }
    }

    private static float[] floats(TokenView view, Signal signal, int layer) {
      return view.signal(signal, layer).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }
  }
}
