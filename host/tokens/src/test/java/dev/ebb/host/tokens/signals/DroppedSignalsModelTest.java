package dev.ebb.host.tokens.signals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.Slab;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drops tokens at random and compares their signals with plain lists of tokens, one a lane. */
class DroppedSignalsModelTest {

  private static final int LAYERS = 2;
  private static final int KV_HEADS = 2;
  private static final int LANES = LAYERS * KV_HEADS;
  private static final int GROUP = 2;
  private static final int QUERY_HEADS = KV_HEADS * GROUP;
  private static final int CAPACITY = 400;
  private static final int STATE_SIZE = 2;
  private static final KvLayout LAYOUT =
      new KvLayout(LAYERS, KV_HEADS, 1, CAPACITY, DType.FP32, LANES);
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /** By lane, oldest first. */
  private final List<List<Token>> lanes = new ArrayList<>();

  private final StoredTokens stored = new StoredTokens(LAYERS, KV_HEADS);
  private final Packing packing = new Packing(stored);
  private final Reading policy =
      new Reading(
          Set.of(
              Signal.KEY_NORM,
              Signal.KEYS,
              Signal.VALUES,
              Signal.ACCUMULATED_ATTENTION,
              Signal.WINDOW_ATTENTION,
              Signal.STATE),
          STATE_SIZE,
          TokenPolicy.Granularity.KV_HEAD,
          TokenPolicy.Trigger.EVERY_STEP);
  private final TokenSignals signals =
      new TokenSignals(
          SignalNeeds.of(List.of(policy), List.of()), LAYOUT, QUERY_HEADS, null, stored);
  private final SequenceView view = new SequenceView(policy);

  DroppedSignalsModelTest() {
    for (int lane = 0; lane < LANES; lane++) {
      lanes.add(new ArrayList<>());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aKeptTokenKeepsItsSignals(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (HostDevice device = new HostDevice();
        Slab slab = device.reserve((long) LANES * LAYOUT.blockBytes())) {
      MemorySegment memory = slab.segment().orElseThrow();
      StoredKeys keys = new StoredKeys(LAYOUT, slab, () -> new FastSignals(memory));
      keys.show(
          IntStream.range(0, LANES).mapToObj(lane -> new int[] {lane}).toArray(int[][]::new),
          IntStream.range(0, LANES).map(lane -> 1).toArray());
      for (int step = 0; step < 300; step++) {
        append(random, memory, Math.min(CAPACITY - stored.longest(), 1 + random.nextInt(20)));
        observe(random);
        if (random.nextBoolean()) {
          check(keys);
        }
        write(random, keys);
        drop(random, memory);
        check(keys);
      }
    }
  }

  private void append(SplittableRandom random, MemorySegment memory, int count) {
    stored.append(count);
    for (int lane = 0; lane < LANES; lane++) {
      for (int i = 0; i < count; i++) {
        Token token = new Token(stored.position() - count + i, random);
        lanes.get(lane).add(token);
        int row = stored.row(stored.setOf(lane), lanes.get(lane).size() - 1);
        memory.set(FLOAT, key(lane, row), token.norm);
        memory.set(FLOAT, value(lane, row), token.value);
      }
    }
  }

  private static long key(int lane, int row) {
    return (long) lane * LAYOUT.blockBytes() + LAYOUT.rowOffset(0, false, row);
  }

  private static long value(int lane, int row) {
    return (long) lane * LAYOUT.blockBytes() + LAYOUT.rowOffset(0, true, row);
  }

  private void observe(SplittableRandom random) {
    for (int layer = 0; layer < LAYERS; layer++) {
      int first = layer * KV_HEADS;
      int longest =
          IntStream.range(first, first + KV_HEADS)
              .map(lane -> lanes.get(lane).size())
              .max()
              .orElse(0);
      float[] shares = new float[QUERY_HEADS * longest];
      for (int head = 0; head < QUERY_HEADS; head++) {
        int lane = first + head / GROUP;
        List<Token> tokens = lanes.get(lane);
        for (int index = 0; index < tokens.size(); index++) {
          float share = (float) random.nextDouble();
          shares[head * longest + stored.row(stored.setOf(lane), index)] = share;
          tokens.get(index).received += share;
          tokens.get(index).last[head % GROUP] = share;
        }
      }
      signals.observeAttention(layer, 1, MemorySegment.ofArray(shares));
    }
  }

  /** Writes states as a policy does, some of them in vain because it then fails. */
  private void write(SplittableRandom random, StoredKeys keys) {
    for (int lane = 0; lane < LANES; lane++) {
      view.show(signals, keys, lane / KV_HEADS, 1, lane % KV_HEADS, 1);
      boolean saved = random.nextInt(4) > 0;
      MemorySegment state = view.signal(Signal.STATE, 0);
      for (int index = 0; index < lanes.get(lane).size(); index++) {
        Token token = lanes.get(lane).get(index);
        for (int i = 0; i < STATE_SIZE; i++) {
          float value = token.state[i] / 2 + (float) random.nextDouble();
          state.setAtIndex(FLOAT, index * STATE_SIZE + i, value);
          token.state[i] = saved ? value : token.state[i];
        }
      }
      if (saved) {
        view.saveState();
      }
      view.hide();
    }
  }

  private void drop(SplittableRandom random, MemorySegment memory) {
    int sets = Math.max(stored.sets(), new int[] {1, LAYERS, LANES}[random.nextInt(3)]);
    double share = random.nextInt(4) == 0 ? random.nextDouble() : 0.97;
    int[][] kept = new int[sets][];
    for (int set = 0; set < sets; set++) {
      int length = lanes.get(set * LANES / sets).size();
      kept[set] =
          IntStream.range(0, length)
              .filter(index -> index == length - 1 || random.nextDouble() < share)
              .toArray();
    }
    packing.plan(random.nextBoolean(), KeptSets.of(kept));
    for (int lane = 0; lane < LANES; lane++) {
      int set = lane * sets / LANES;
      List<Token> tokens = lanes.get(lane);
      lanes.set(lane, new ArrayList<>(IntStream.of(kept[set]).mapToObj(tokens::get).toList()));
      for (int i = 0; i < packing.moved(set); i++) {
        int to = packing.filling() ? packing.to(set, i) : packing.firstMoved(set) + i;
        int from = packing.filling() ? packing.from(set, i) : packing.sources(set)[to];
        memory.set(FLOAT, key(lane, to), memory.get(FLOAT, key(lane, from)));
        memory.set(FLOAT, value(lane, to), memory.get(FLOAT, value(lane, from)));
      }
    }
    signals.keep(packing);
    packing.commit();
  }

  private void check(StoredKeys keys) {
    for (int lane = 0; lane < LANES; lane++) {
      List<Token> tokens = lanes.get(lane);
      view.show(signals, keys, lane / KV_HEADS, 1, lane % KV_HEADS, 1);
      assertThat(view.missing()).isNull();
      assertThat(read(Signal.KEY_NORM)).isEqualTo(values(tokens, token -> token.norm));
      assertThat(read(Signal.ACCUMULATED_ATTENTION))
          .isEqualTo(values(tokens, token -> token.received));
      assertThat(read(Signal.STATE))
          .isEqualTo(tokens.stream().flatMap(token -> floats(token.state).stream()).toList());
      assertThat(read(Signal.KEYS)).isEqualTo(values(tokens, token -> token.norm));
      assertThat(read(Signal.VALUES)).isEqualTo(values(tokens, token -> token.value));
      for (int index = 0; index < tokens.size(); index++) {
        assertThat(view.position(0, 0, index)).isEqualTo(tokens.get(index).position);
      }
      List<Function<Token, Float>> heads = List.of(token -> token.last[0], token -> token.last[1]);
      assertThat(read(Signal.WINDOW_ATTENTION))
          .isEqualTo(heads.stream().flatMap(head -> values(tokens, head).stream()).toList());
      view.hide();
    }
  }

  @Test
  void eachPolicyAndEachForkHasItsOwnState() {
    try (HostDevice device = new HostDevice();
        Slab slab = device.reserve(LAYOUT.blockBytes())) {
      StoredKeys keys = new StoredKeys(LAYOUT, slab, () -> new FastSignals(MemorySegment.NULL));
      stored.append(3);
      SequenceView other = new SequenceView(policy);
      writeOnes(signals, keys, view);
      assertThat(state(signals, keys, other)).containsOnly(0).hasSize(3 * STATE_SIZE);

      TokenSignals fork = signals.copy(stored.copy());
      writeOnes(signals, keys, other);
      assertThat(state(fork, keys, view)).containsOnly(1).hasSize(3 * STATE_SIZE);
      assertThat(state(fork, keys, other)).containsOnly(0).hasSize(3 * STATE_SIZE);
      assertThat(state(signals, keys, other)).containsOnly(1).hasSize(3 * STATE_SIZE);
    }
  }

  /** Writes zeros in the lower layer and ones in the upper one. */
  private static void writeOnes(TokenSignals of, StoredKeys keys, SequenceView by) {
    by.show(of, keys, 0, LAYERS, 1, 1);
    for (int layer = 0; layer < LAYERS; layer++) {
      for (int index = 0; index < STATE_SIZE * by.length(); index++) {
        by.signal(Signal.STATE, layer).setAtIndex(FLOAT, index, layer);
      }
    }
    by.saveState();
  }

  private static float[] state(TokenSignals of, StoredKeys keys, SequenceView by) {
    by.show(of, keys, 1, 1, 1, 1);
    return by.signal(Signal.STATE, 0).toArray(FLOAT);
  }

  private List<Float> read(Signal signal) {
    return floats(view.signal(signal, 0).toArray(FLOAT));
  }

  private static List<Float> floats(float[] array) {
    List<Float> list = new ArrayList<>();
    for (float value : array) {
      list.add(value);
    }
    return list;
  }

  private static List<Float> values(List<Token> tokens, Function<Token, Float> value) {
    return tokens.stream().map(value).toList();
  }

  private static final class Token {
    private final int position;
    private final float norm;
    private final float[] last = new float[GROUP];
    private float received;
    private final float value;
    private final float[] state = new float[STATE_SIZE];

    Token(int position, SplittableRandom random) {
      this.position = position;
      norm = (float) random.nextDouble();
      value = (float) random.nextDouble();
    }
  }

  private record Reading(
      Set<Signal> signals, int stateSize, Granularity granularity, Trigger trigger)
      implements TokenPolicy {

    @Override
    public void score(TokenView shown, int layer, float[] out) {
      throw new UnsupportedOperationException("nothing is scored here");
    }
  }
}
