package dev.ebb.host.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.placement.CopySettings;
import java.util.LongSummaryStatistics;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ClusterSimulationTest {

  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;

  /**
   * 20,000 directory operations a second on each node, cards of 100 Gbit/s, 1 GiB/s for
   * replication, and uplinks of 400 Gbit/s.
   */
  private static final SimulatedLimits LIMITS = new SimulatedLimits(2, 20_000, 12.5e9, GIB, 50e9);

  @Test
  void aHundredNodesSurviveTheLossOfANodeAndOfARack() {
    run(100, 10, 10_000, 2 * MIB);
  }

  @Test
  @Tag("stress")
  void aThousandNodesSurviveTheLossOfANodeAndOfARack() {
    run(1_000, 40, 2_000_000, 64 * MIB);
  }

  private static void run(int nodes, int racks, int values, long bytes) {
    long expected = values * bytes / nodes;
    ClusterSimulation cluster = new ClusterSimulation(new CopySettings(1, true), LIMITS, bytes, 1);
    cluster.addNodes(nodes, racks, 4 * expected);

    SimulatedEvent stored = report("store", cluster, () -> cluster.store(values));
    assertThat(stored.copies()).isEqualTo(values);
    assertThat(stored.incomplete()).isZero();
    LongSummaryStatistics balance = cluster.replicaBytes();
    assertThat(balance.getMax()).isLessThan(expected * 15 / 10);
    assertThat(balance.getMin()).isGreaterThan(expected * 5 / 10);

    long affected = cluster.values(node -> node.name().equals("node7"));
    SimulatedEvent node =
        report("lose a node", cluster, () -> cluster.lose(lost -> lost.name().equals("node7")));
    assertThat(node.valuesLost()).isZero();
    assertThat(node.incomplete()).isZero();
    assertThat(node.copies()).isEqualTo(affected);

    affected = cluster.values(lost -> lost.rack().equals("rack3"));
    SimulatedEvent rack =
        report("lose a rack", cluster, () -> cluster.lose(lost -> lost.rack().equals("rack3")));
    assertThat(rack.valuesLost()).isZero();
    assertThat(rack.incomplete()).isZero();
    assertThat(rack.copies()).isEqualTo(affected);

    SimulatedEvent join =
        report("add a node", cluster, () -> cluster.addNode("new", "rack3", "zone1", 4 * expected));
    assertThat(join.copies()).isZero();
    report("store 10 %", cluster, () -> cluster.store(values / 10));
    assertThat(cluster.replicaBytes("new")).isBetween(expected / 20, expected / 5);

    affected = cluster.values(drained -> drained.name().equals("node9"));
    SimulatedEvent drain =
        report(
            "drain a node",
            cluster,
            () -> cluster.drain(drained -> drained.name().equals("node9")));
    assertThat(drain.copies()).isEqualTo(affected);
    assertThat(drain.incomplete()).isZero();
    assertThat(cluster.values(drained -> drained.name().equals("node9"))).isZero();
  }

  private static SimulatedEvent report(
      String what, ClusterSimulation cluster, Supplier<SimulatedEvent> run) {
    SimulatedEvent event = run.get();
    LongSummaryStatistics balance = cluster.replicaBytes();
    System.out.printf(
        "%-13s copies %,d (%.1f GiB) in %.3f s, limited by %s; lost %d; directory %,d, decisions"
            + " %,d; GiB of replicas per node %.2f to %.2f, mean %.2f%n",
        what,
        event.copies(),
        event.bytes() / (double) GIB,
        event.seconds(),
        event.limit(),
        event.valuesLost(),
        event.directoryOperations(),
        event.decisions(),
        balance.getMin() / (double) GIB,
        balance.getMax() / (double) GIB,
        balance.getAverage() / GIB);
    System.out.println("              " + event.busySeconds());
    return event;
  }
}
