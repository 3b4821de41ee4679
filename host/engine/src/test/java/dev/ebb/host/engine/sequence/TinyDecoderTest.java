package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * An engine as it would use this: prefill from the matched prefix on, decode, fork, publish. Every
 * logit equals that of the same decoder over plain arrays that shares nothing with anybody.
 */
class TinyDecoderTest {

  private static final int BLOCK_TOKENS = 4;
  static final KvLayout LAYOUT =
      new KvLayout(TinyModel.LAYERS, TinyModel.HEADS, TinyModel.HEAD_DIM, BLOCK_TOKENS, DType.FP32);

  private final TinyModel model = new TinyModel();
  private final Random random = new Random(1);
  private int computed;
  private int prompted;

  /** K and V in pool memory. */
  record PoolStore(KvAccess access) implements TinyModel.Store {
    @Override
    public void put(int lane, int token, float[] key, float[] value) {
      MemorySegment keys = access.keys(lane, token / BLOCK_TOKENS);
      MemorySegment values = access.values(lane, token / BLOCK_TOKENS);
      for (int dim = 0; dim < key.length; dim++) {
        keys.setAtIndex(ValueLayout.JAVA_FLOAT, at(token, dim), key[dim]);
        values.setAtIndex(ValueLayout.JAVA_FLOAT, at(token, dim), value[dim]);
      }
    }

    @Override
    public float key(int lane, int token, int dim) {
      return access
          .keys(lane, token / BLOCK_TOKENS)
          .getAtIndex(ValueLayout.JAVA_FLOAT, at(token, dim));
    }

    @Override
    public float value(int lane, int token, int dim) {
      return access
          .values(lane, token / BLOCK_TOKENS)
          .getAtIndex(ValueLayout.JAVA_FLOAT, at(token, dim));
    }

    private static long at(int token, int dim) {
      return (long) token % BLOCK_TOKENS * TinyModel.HEAD_DIM + dim;
    }
  }

  /** K and V in arrays: lane, token. */
  private static final class ArrayStore implements TinyModel.Store {
    private final float[][][] keys = new float[LAYOUT.lanes()][256][];
    private final float[][][] values = new float[LAYOUT.lanes()][256][];

    @Override
    public void put(int lane, int token, float[] key, float[] value) {
      keys[lane][token] = key;
      values[lane][token] = value;
    }

    @Override
    public float key(int lane, int token, int dim) {
      return keys[lane][token][dim];
    }

    @Override
    public float value(int lane, int token, int dim) {
      return values[lane][token][dim];
    }
  }

  @Test
  void logitsEqualThoseOverPlainArrays() {
    try (HostDevice device = new HostDevice();
        KvPool pool = KvPool.open(LAYOUT, device, 24L * LAYOUT.blockBytes())) {
      BlockCache cache =
          new InlineBlockCache(24, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
      Engine engine = new Engine();
      DevicePartition partition = engine.add(pool, cache, 0.9, 0.8);
      for (int round = 0; round < 60; round++) {
        serve(engine, prompt());
        partition.movement.betweenBatches(0, 4L * LAYOUT.blockBytes());
      }
      assertThat(cache.evictions()).isPositive();
      assertThat(partition.traffic.copied).isPositive();
      assertThat(computed).isLessThan(prompted);
      engine.close();
    }
  }

  /** One of three long beginnings, and a question. */
  private List<Integer> prompt() {
    List<Integer> tokens = new ArrayList<>();
    int beginning = random.nextInt(3);
    for (int i = 0; i < 14; i++) {
      tokens.add((beginning * 5 + i * (beginning + 1)) % TinyModel.VOCABULARY);
    }
    for (int i = random.nextInt(6); i >= 0; i--) {
      tokens.add(random.nextInt(TinyModel.VOCABULARY));
    }
    return tokens;
  }

  private void serve(Engine engine, List<Integer> prompt) {
    int[] tokens = prompt.stream().mapToInt(Integer::intValue).toArray();
    Sequence sequence = engine.open(SequenceRequest.of(Namespace.of("tiny"), tokens));
    // The last token is computed in any case: its logits are the first answer.
    int first = Math.min(sequence.matchedTokens(), tokens.length - 1);
    prompted += tokens.length;
    computed += tokens.length - first;
    float[] logits = new float[0];
    for (int i = first; i < tokens.length; i++) {
      logits = step(sequence, tokens[i], i, i >= sequence.matchedTokens());
    }
    assertThat(logits).isEqualTo(overArrays(model, prompt));
    Sequence second = sequence.fork();
    List<Integer> other = new ArrayList<>(prompt);
    decode(sequence, prompt, best(logits));
    decode(second, other, (best(logits) + 1) % TinyModel.VOCABULARY);
    sequence.finish();
    second.finish();
  }

  private void decode(Sequence sequence, List<Integer> tokens, int next) {
    int token = next;
    for (int i = 0; i < 7; i++) {
      sequence.append(token);
      tokens.add(token);
      float[] logits = step(sequence, token, tokens.size() - 1, true);
      assertThat(logits).isEqualTo(overArrays(model, tokens));
      token = best(logits);
    }
  }

  private float[] step(Sequence sequence, int token, int position, boolean write) {
    try (KvAccess access = sequence.access()) {
      return model.step(new PoolStore(access), token, position, write);
    }
  }

  static float[] overArrays(TinyModel model, List<Integer> tokens) {
    TinyModel.Store store = new ArrayStore();
    float[] logits = new float[0];
    for (int i = 0; i < tokens.size(); i++) {
      logits = model.step(store, tokens.get(i), i, true);
    }
    return logits;
  }

  static int best(float[] logits) {
    int best = 0;
    for (int i = 1; i < logits.length; i++) {
      best = logits[i] > logits[best] ? i : best;
    }
    return best;
  }
}
