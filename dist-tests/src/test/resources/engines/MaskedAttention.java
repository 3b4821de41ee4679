import com.sun.management.ThreadMXBean;
import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.stats.TokenCounters;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.KeyRotation.Pairing;
import dev.ebb.host.tokens.KeyRotation;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.spi.Rotation;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * An engine that keeps all keys and values in arrays beside the pool. Again and again it computes
 * attention over what the pool has left, and over the arrays with the dropped tokens masked out.
 *
 * <p>Arguments: the home, {@code host} or {@code cuda}, and policies as {@code name:laneGroups}. For
 * each policy a line: name, tokens dropped, passes, faults and fallbacks, the largest difference, bytes
 * on the heap that ten steps took in Ebb.
 */
public class MaskedAttention {

  static final int LAYERS = 2;
  static final int KV_HEADS = 2;
  static final int GROUP = 2;
  static final int DIM = 8;
  static final int BLOCK_TOKENS = 4;
  static final int LANES = LAYERS * KV_HEADS;
  static final int WINDOW = 48;
  static final int STEPS = 151;

  /** The length at which many tokens are dropped together, and the number of kept tokens. */
  static final int CUT_AT = 80;

  static final int CUT_TO = 28;

  static final Rotation ROTATION = KeyRotation.ofBase(DIM, 10_000, Pairing.HALF_SPLIT);

  final Random random = new Random(11);
  final Slab slab;
  final Sequence sequence;
  final List<List<float[]>> keys = new ArrayList<>();
  final List<List<float[]>> values = new ArrayList<>();
  final float[][] queries = new float[LANES * GROUP][DIM];
  final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  double worst;
  long allocated;

  MaskedAttention(Slab slab, Sequence sequence) {
    this.slab = slab;
    this.sequence = sequence;
    for (int lane = 0; lane < LANES; lane++) {
      keys.add(new ArrayList<>());
      values.add(new ArrayList<>());
    }
  }

  public static void main(String[] args) {
    for (String policy : Arrays.copyOfRange(args, 2, args.length)) {
      String[] parts = policy.split(":");
      try (Device device = args[1].equals("cuda") ? CudaDevice.open(0) : new HostDevice()) {
        run(Path.of(args[0]), new Seen(device), parts[0], Integer.parseInt(parts[1]));
      }
    }
  }

  static void run(Path home, Seen device, String policy, int groups) {
    KvLayout layout = new KvLayout(LAYERS, KV_HEADS, DIM, BLOCK_TOKENS, DType.FP32, groups);
    String settings =
        "ebb { pool.size = 1 MiB, tokens { policy = %s, window = %d, memory-threshold = 1 B } }"
            .formatted(policy, WINDOW);
    EbbOptions options =
        EbbOptions.of(layout, home)
            .withSettings(settings)
            .withObservations(
                new Observations(KV_HEADS * GROUP, true, true).withUnrotatedQueries(ROTATION));
    try (Ebb ebb = Ebb.start(options, device);
        Sequence sequence = ebb.open(SequenceRequest.of(Namespace.of("masked")))) {
      MaskedAttention engine = new MaskedAttention(device.slab, sequence);
      int dropped = 0;
      long least = Long.MAX_VALUE;
      int[] token = new int[1];
      for (int step = 0; step < STEPS; step++) {
        if (step % 10 == 0) {
          least = step > CUT_AT + WINDOW - CUT_TO + 10 ? Math.min(least, engine.allocated) : least;
          engine.allocated = 0;
        }
        token[0] = step;
        long before = engine.threads.getCurrentThreadAllocatedBytes();
        sequence.append(token);
        engine.allocated += engine.threads.getCurrentThreadAllocatedBytes() - before;
        engine.compute();
        before = engine.threads.getCurrentThreadAllocatedBytes();
        TokenEviction eviction = ebb.tokens().maybeEvict(sequence, step == CUT_AT ? CUT_TO : 0);
        engine.allocated += engine.threads.getCurrentThreadAllocatedBytes() - before;
        if (eviction.evicted() && !eviction.policy().equals(policy)) {
          throw new IllegalStateException(eviction.toString());
        }
        dropped += eviction.removedTokens();
        if (step % 4 == 3 || step == CUT_AT) {
          engine.compare();
        }
      }
      TokenCounters counters = ebb.tokens().counters();
      System.out.printf(
          "%s %d %d %d %.9f %d%n",
          policy,
          dropped,
          counters.evictions(),
          counters.faults() + counters.fallbacks() + counters.missingSignals(),
          engine.worst,
          least);
    }
  }

  /** Makes up the newest token, stores it, and hands over its queries and attention. */
  void compute() {
    for (float[] query : queries) {
      fill(query);
    }
    try (KvAccess access = sequence.access()) {
      for (int lane = 0; lane < LANES; lane++) {
        keys.get(lane).add(fill(new float[DIM]));
        values.get(lane).add(fill(new float[DIM]));
        int row = access.length(lane) - 1;
        slab.write(at(access, lane, row, false), MemorySegment.ofArray(keys.get(lane).getLast()));
        slab.write(at(access, lane, row, true), MemorySegment.ofArray(values.get(lane).getLast()));
      }
      for (int layer = 0; layer < LAYERS; layer++) {
        observe(access, layer);
      }
    }
  }

  void observe(KvAccess access, int layer) {
    int heads = KV_HEADS * GROUP;
    int longest = 0;
    for (int head = 0; head < KV_HEADS; head++) {
      longest = Math.max(longest, access.length(layer * KV_HEADS + head));
    }
    float[] newest = new float[heads * DIM];
    float[] rows = new float[heads * longest];
    for (int head = 0; head < heads; head++) {
      int lane = layer * KV_HEADS + head / GROUP;
      System.arraycopy(queries[layer * heads + head], 0, newest, head * DIM, DIM);
      int[] positions = access.positions(lane);
      double[] shares = shares(layer * heads + head, keys.get(lane), positions);
      for (int row = 0; row < positions.length; row++) {
        rows[head * longest + row] = (float) shares[positions[row]];
      }
    }
    MemorySegment given = MemorySegment.ofArray(newest);
    MemorySegment looked = MemorySegment.ofArray(rows);
    long before = threads.getCurrentThreadAllocatedBytes();
    sequence.observeQueries(layer, 1, given);
    sequence.observeAttention(layer, 1, looked);
    // Made up as they are, queries may as well have been turned from what they are.
    sequence.observeUnrotatedQueries(layer, 1, given);
    allocated += threads.getCurrentThreadAllocatedBytes() - before;
  }

  /** The softmax over all tokens that ever were, masked to some of them. */
  double[] shares(int queryHead, List<float[]> all, int[] unmasked) {
    double[] logits = new double[all.size()];
    Arrays.fill(logits, Double.NEGATIVE_INFINITY);
    for (int position : unmasked) {
      logits[position] = dot(queries[queryHead], all.get(position)) / Math.sqrt(DIM);
    }
    double highest = Arrays.stream(logits).max().orElseThrow();
    double total = 0;
    for (int i = 0; i < logits.length; i++) {
      logits[i] = Math.exp(logits[i] - highest);
      total += logits[i];
    }
    for (int i = 0; i < logits.length; i++) {
      logits[i] /= total;
    }
    return logits;
  }

  /** In single precision, as an engine would, over the rows in use. */
  float[] overRows(int queryHead, float[][] laneKeys, float[][] laneValues) {
    int length = laneKeys.length;
    float[] weights = new float[length];
    float highest = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < length; i++) {
      weights[i] = (float) (dot(queries[queryHead], laneKeys[i]) / Math.sqrt(DIM));
      highest = Math.max(highest, weights[i]);
    }
    float total = 0;
    float[] out = new float[DIM];
    for (int i = 0; i < length; i++) {
      float weight = (float) Math.exp(weights[i] - highest);
      total += weight;
      for (int d = 0; d < DIM; d++) {
        out[d] += weight * laneValues[i][d];
      }
    }
    for (int d = 0; d < DIM; d++) {
      out[d] /= total;
    }
    return out;
  }

  void compare() {
    try (KvAccess access = sequence.reading()) {
      for (int lane = 0; lane < LANES; lane++) {
        float[][] laneKeys = rows(access, lane, false);
        float[][] laneValues = rows(access, lane, true);
        for (int queryHead = lane * GROUP; queryHead < (lane + 1) * GROUP; queryHead++) {
          double[] shares = shares(queryHead, keys.get(lane), access.positions(lane));
          float[] found = overRows(queryHead, laneKeys, laneValues);
          for (int d = 0; d < DIM; d++) {
            double expected = 0;
            for (int i = 0; i < shares.length; i++) {
              expected += shares[i] * values.get(lane).get(i)[d];
            }
            // What is no number compares as larger than all.
            worst = Math.max(worst, Math.abs(found[d] - expected));
          }
        }
      }
    }
  }

  /** Reads the rows of a lane from the device, page by page. */
  float[][] rows(KvAccess access, int lane, boolean value) {
    float[][] rows = new float[access.length(lane)][];
    float[] page = new float[BLOCK_TOKENS * DIM];
    for (int i = 0; i < rows.length; i++) {
      int inPage = i % BLOCK_TOKENS;
      if (inPage == 0) {
        slab.read(at(access, lane, i, value), MemorySegment.ofArray(page));
      }
      rows[i] = Arrays.copyOfRange(page, inPage * DIM, (inPage + 1) * DIM);
    }
    return rows;
  }

  /** Where a row lies in the slab. */
  long at(KvAccess access, int lane, int row, boolean value) {
    int page = row / BLOCK_TOKENS;
    long start = value ? access.valueAddress(lane, page) : access.keyAddress(lane, page);
    return start - slab.address() + (long) row % BLOCK_TOKENS * DIM * Float.BYTES;
  }

  static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int d = 0; d < DIM; d++) {
      sum += (double) a[d] * b[d];
    }
    return sum;
  }

  float[] fill(float[] vector) {
    for (int d = 0; d < DIM; d++) {
      vector[d] = (float) random.nextGaussian();
    }
    return vector;
  }

  /** A device that remembers its slab, so that rows can be written wherever they lie. */
  static class Seen implements Device {
    final Device device;
    Slab slab;

    Seen(Device device) {
      this.device = device;
    }

    @Override
    public String name() {
      return device.name();
    }

    @Override
    public DeviceKind kind() {
      return device.kind();
    }

    @Override
    public MemoryMonitor memory() {
      return device.memory();
    }

    @Override
    public Slab reserve(long bytes) {
      slab = device.reserve(bytes);
      return slab;
    }

    @Override
    public void close() {}
  }
}
