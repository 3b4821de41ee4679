package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.Device;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.sequence.GenerationLoop.Checking;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenPolicy.Trigger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A generation loop that prunes, on any device.
 *
 * @param granularity how finely kept sets differ
 * @param trigger when the policy runs
 * @param budget the budget rule
 * @param groups lane groups of a block
 * @param attention whether attention is handed over too
 * @param window queries of window attention
 */
public record PrunedAttention(
    Granularity granularity,
    Trigger trigger,
    String budget,
    int groups,
    boolean attention,
    int window) {

  /** Parses the values, separated by commas: JUnit calls this for a parameter. */
  public static PrunedAttention of(String values) {
    String[] value = values.split(",", -1);
    return new PrunedAttention(
        Granularity.valueOf(value[0]),
        Trigger.valueOf(value[1]),
        value[2],
        Integer.parseInt(value[3]),
        Boolean.parseBoolean(value[4]),
        Integer.parseInt(value[5]));
  }

  /**
   * Runs the loop, which prunes again and again, and compares everything in it.
   *
   * @param device where the pool is to be
   */
  public void compare(Device device) {
    Set<Signal> signals = new HashSet<>(Set.of(Signal.values()));
    if (!attention) {
      signals.remove(Signal.ACCUMULATED_ATTENTION);
    }
    List<Checking> made = new ArrayList<>();
    int limit = trigger == Trigger.UNDER_PRESSURE ? 24 : 0;
    try (GenerationLoop loop =
        new GenerationLoop(
            device,
            groups,
            GenerationLoop.config(budget, limit, 0.75),
            GenerationLoop.observing(true, attention),
            (of, name) -> {
              Checking policy = new Checking(of, signals, granularity, trigger, window);
              made.add(policy);
              return policy;
            })) {
      if (trigger != Trigger.UNDER_PRESSURE) {
        for (int step = 0; step < 20; step++) {
          loop.sequence.append(1);
          loop.computeAndObserve();
        }
      }
      long evictions = loop.run(60).stream().filter(TokenEviction::evicted).count();
      assertThat(evictions).isPositive();
      assertThat(loop.manager.counters().evictions()).isEqualTo(evictions);
      assertThat(loop.manager.counters().faults()).isZero();
      assertThat(made.getFirst().checked()).isPositive();
    }
  }
}
