package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.placement.ValueState;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes without replicas, whose directory entries are on two nodes each. */
class DirectorySweepTest {

  private static final int LOST = 50;
  private static final int KEPT = 10;

  @TempDir private Path home;
  private final List<TestNode> nodes = new ArrayList<>();
  private int seed;

  @BeforeEach
  void join() {
    seed = FreePort.any();
    join("a", seed);
    join("b", FreePort.any());
    join("c", FreePort.any());
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 3));
  }

  private void join(String name, int port) {
    nodes.add(TestNode.join(home, name, "rack-" + name, seed, port, 16 << 20, "replicas = 0"));
  }

  @AfterEach
  void leave() {
    nodes.forEach(TestNode::close);
  }

  private Optional<ValueState> state(String key) {
    return nodes
        .getFirst()
        .node
        .find(key.getBytes(StandardCharsets.UTF_8))
        .join()
        .map(ValuePlace::state);
  }

  /** Sweeps on all nodes, and returns the sum of a state. */
  private long swept(List<DirectorySweep> sweeps, ValueState state) {
    long count = 0;
    for (DirectorySweep sweep : sweeps) {
      try {
        sweep.sweep(0);
      } catch (InterruptedException closing) {
        throw new AssertionError(closing);
      }
      count += sweep.counts().of(state);
    }
    return count;
  }

  private static long removed(List<DirectorySweep> sweeps) {
    return sweeps.stream().mapToLong(sweep -> sweep.removed.sum()).sum();
  }

  @Test
  void entriesOfNodesThatLeftAreRemoved() {
    for (int i = 0; i < LOST; i++) {
      nodes.getLast().set("lost" + i, new byte[100]);
    }
    for (int i = 0; i < KEPT; i++) {
      nodes.getFirst().set("kept" + i, new byte[100]);
    }
    List<DirectorySweep> all = nodes.stream().map(node -> node.node.sweep(() -> true)).toList();
    Awaiting.until(() -> swept(all, ValueState.ACTIVE) == LOST + KEPT);
    assertThat(removed(all)).isZero();
    assertThat(state("lost1")).contains(ValueState.ACTIVE);

    nodes.removeLast().close();
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 2));
    List<DirectorySweep> early = nodes.stream().map(node -> node.node.sweep(() -> false)).toList();
    Awaiting.until(() -> swept(early, ValueState.UNKNOWN) == LOST);
    assertThat(removed(early)).isZero();
    assertThat(state("lost1")).contains(ValueState.UNKNOWN);

    List<DirectorySweep> late = nodes.stream().map(node -> node.node.sweep(() -> true)).toList();
    Awaiting.until(() -> {
      boolean none = swept(late, ValueState.UNKNOWN) == 0;
      return none && removed(late) == LOST;
    });
    assertThat(state("lost1")).isEmpty();
    assertThat(state("kept1")).contains(ValueState.ACTIVE);
    assertThat(nodes.getLast().get("kept1")).hasSize(100);

    join("c", FreePort.any());
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 3));
    nodes.getLast().set("lost1", new byte[200]);
    Awaiting.until(() -> state("lost1").equals(Optional.of(ValueState.ACTIVE)));
    Awaiting.until(() -> nodes.getFirst().get("lost1") != null);
  }
}
