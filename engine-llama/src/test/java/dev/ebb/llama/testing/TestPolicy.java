package dev.ebb.llama.testing;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Set;

/** Token policies that tests need, each with the shape of a published one. */
public enum TestPolicy implements TokenPolicy {
  /** Keeps the newest, needs nothing. */
  NEWEST(Granularity.SEQUENCE, Trigger.UNDER_PRESSURE),
  /** Keeps what received most attention. */
  HEAVY(Granularity.KV_HEAD, Trigger.EVERY_STEP),
  /** Keeps what the newest queries look at. */
  WATCHED(Granularity.KV_HEAD, Trigger.AFTER_PREFILL),
  /** Keeps small keys. */
  SMALL(Granularity.KV_HEAD, Trigger.UNDER_PRESSURE),
  /** Keeps keys unlike the others. */
  UNLIKE(Granularity.KV_HEAD, Trigger.UNDER_PRESSURE);

  private final Granularity granularity;
  private final Trigger trigger;

  TestPolicy(Granularity granularity, Trigger trigger) {
    this.granularity = granularity;
    this.trigger = trigger;
  }

  @Override
  public Set<Signal> signals() {
    return switch (this) {
      case NEWEST -> Set.of();
      case HEAVY -> Set.of(Signal.ACCUMULATED_ATTENTION);
      case WATCHED -> Set.of(Signal.WINDOW_ATTENTION);
      case SMALL -> Set.of(Signal.KEY_NORM);
      case UNLIKE -> Set.of(Signal.KEYS, Signal.KEY_MEAN);
    };
  }

  @Override
  public int window() {
    return 8;
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
    mask.set(view.length() - 1);
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int length = view.length();
    for (int i = 0; i < out.length; i++) {
      out[i] = score(view, layer, i / length, i % length);
    }
  }

  private float score(TokenView view, int layer, int head, int token) {
    int length = view.length();
    int size = view.headDimension();
    return switch (this) {
      case NEWEST -> token;
      case HEAVY ->
          at(view.signal(Signal.ACCUMULATED_ATTENTION, layer), (long) head * length + token);
      case WATCHED -> {
        int window = Math.min(window(), length);
        int group = view.queryHeads() / view.kvHeads();
        MemorySegment rows = view.signal(Signal.WINDOW_ATTENTION, layer);
        float sum = 0;
        for (int row = head * group * window; row < (head + 1) * group * window; row++) {
          sum += at(rows, (long) row * length + token);
        }
        yield sum;
      }
      case SMALL -> -at(view.signal(Signal.KEY_NORM, layer), (long) head * length + token);
      case UNLIKE -> {
        MemorySegment keys = view.signal(Signal.KEYS, layer);
        MemorySegment mean = view.signal(Signal.KEY_MEAN, layer);
        float dot = 0;
        for (int dim = 0; dim < size; dim++) {
          dot +=
              at(keys, ((long) head * length + token) * size + dim)
                  * at(mean, (long) head * size + dim);
        }
        yield -dot;
      }
    };
  }

  private static float at(MemorySegment floats, long index) {
    return floats.getAtIndex(JAVA_FLOAT, index);
  }
}
