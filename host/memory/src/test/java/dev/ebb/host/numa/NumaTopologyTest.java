package dev.ebb.host.numa;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumaTopologyTest {

  private static final long GIB = 1L << 20;

  @TempDir private Path root;

  private MadeUpMachine machine;

  @BeforeEach
  void emptyMachine() {
    machine = new MadeUpMachine(root);
  }

  private MadeUpMachine twoNodes() {
    return machine.node(0, "0-3,8-11", 64 * GIB, "10 21").node(1, "4-7,12-15", 32 * GIB, "21 10");
  }

  /** Two sockets with two nodes each. */
  private MadeUpMachine fourNodes() {
    return machine
        .node(0, "0-1", GIB, "10 12 32 32")
        .node(1, "2-3", GIB, "12 10 32 32")
        .node(2, "4-5", GIB, "32 32 10 12")
        .node(3, "6-7", GIB, "32 32 12 10");
  }

  @Test
  void nodesHaveTheirMemoryProcessorsAndDistances() {
    assertThat(twoNodes().allowed("4-5", "0-1").read().nodes())
        .containsExactly(
            new NumaTopology.Node(0, 64L << 30, false, List.of(10, 21)),
            new NumaTopology.Node(1, 32L << 30, true, List.of(21, 10)));
  }

  @Test
  void withoutAGpuTheMemoryIsNearTheProcessors() {
    assertThat(NumaPlacement.local(twoNodes().allowed("12", "0-1").read()))
        .hasToString("preferred:1");
    assertThat(NumaPlacement.local(fourNodes().allowed("0-3", "0-3").read()))
        .hasToString("interleave:0,1");
  }

  @Test
  void theMemoryIsNearTheGpus() {
    fourNodes().allowed("0-7", "0-3").gpu("0000:3b:00.0", 2);
    assertThat(NumaPlacement.local(machine.read())).hasToString("preferred:2");
    machine.gpu("0000:5e:00.0", 3).gpu("0000:5f:00.0", 3);
    assertThat(NumaPlacement.local(machine.read())).hasToString("interleave:2,3");
  }

  @Test
  void otherPciDevicesDoNotCount() {
    twoNodes()
        .allowed("0-3", "0-1")
        .pci("0000:01:00.0", "0x1a03", "0x030000", 1)
        .pci("0000:02:00.0", "0x10de", "0x040300", 1)
        .gpu("0000:03:00.0", -1);
    assertThat(NumaPlacement.local(machine.read())).hasToString("preferred:0");
  }

  @Test
  void interleavingUsesAllNodesThatAreAllowed() {
    fourNodes();
    assertThat(NumaPlacement.interleaved(machine.read())).hasToString("interleave:0,1,2,3");
    machine.allowed("0-7", "0,2-3");
    assertThat(NumaPlacement.interleaved(machine.read())).hasToString("interleave:0,2,3");
    machine.allowed("0-7", "2");
    assertThat(NumaPlacement.interleaved(machine.read())).isEqualTo(NumaPlacement.DEFAULT);
  }

  @Test
  void aNodeWithoutMemoryStandsForTheNearestWithMemory() {
    fourNodes().node(3, "6-7", 0, "32 32 12 10").allowed("6", "0-3").gpu("0000:3b:00.0", 3);
    assertThat(NumaPlacement.local(machine.read())).hasToString("preferred:2");
    assertThat(NumaPlacement.interleaved(machine.read())).hasToString("interleave:0,1,2");
    assertThat(NumaTopology.nodeOfPci(root, "0000:3B:00.0")).contains(2);
  }

  @Test
  void processorsThatAreOfflineDoNotCount() {
    twoNodes().allowed("0-15", "0-1").file("sys/devices/system/cpu/online", "0-3,8-11\n");
    assertThat(NumaPlacement.local(machine.read())).hasToString("preferred:0");
  }

  @Test
  void aMachineWithOneNodeIsLeftAlone() {
    NumaTopology topology = machine.node(0, "0-1", GIB, "10").gpu("0000:01:00.0", 0).read();
    assertThat(NumaPlacement.local(topology)).isEqualTo(NumaPlacement.DEFAULT);
    assertThat(NumaPlacement.interleaved(topology)).isEqualTo(NumaPlacement.DEFAULT);
    assertThat(NumaTopology.nodeOfPci(root, "0000:01:00.0")).isEmpty();
  }

  @Test
  void aSystemWithoutSuchFilesIsLeftAlone() {
    assertThat(machine.read().nodes()).isEmpty();
    assertThat(NumaPlacement.local(machine.read())).isEqualTo(NumaPlacement.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "-", "5-", "\u0000\u0001", "99999999999", "9-1"})
  void malformedFilesCountAsEmpty(String garbage) {
    twoNodes();
    for (String file : List.of("cpulist", "meminfo", "distance")) {
      machine.file("sys/devices/system/node/node2/" + file, garbage);
    }
    machine.file("sys/devices/system/node/nodeX/meminfo", garbage);
    machine.file("sys/devices/system/node/node1x/meminfo", garbage);
    machine.file("sys/devices/system/node/node99999/meminfo", garbage);
    machine.file("sys/bus/pci/devices/0000:01:00.0/vendor", garbage);
    machine.file("sys/bus/pci/devices/0000:02:00.0/numa_node", garbage);
    NumaTopology topology = machine.read();
    assertThat(topology.nodes()).hasSize(3);
    assertThat(topology.gpuNodes()).isEmpty();
    assertThat(NumaPlacement.interleaved(topology)).hasToString("interleave:0,1");
  }

  @Test
  void distancesOfAnotherLengthAreUnknown() {
    machine.node(0, "0", GIB, "10").node(1, "1", 0, "21 x").node(2, "2", GIB, "10 20 30 40");
    assertThat(NumaPlacement.local(machine.allowed("1", "0-2").read())).hasToString("preferred:0");
  }

  @ParameterizedTest
  @CsvSource({"0000:3b:00.0, 1", "0000:3B:00.0, 1", "0000:77:00.0,", "../../x,", "'',"})
  void aPciDeviceHasItsNode(String address, Integer node) {
    twoNodes().gpu("0000:3b:00.0", 1);
    assertThat(NumaTopology.nodeOfPci(root, address).orElse(null)).isEqualTo(node);
  }

  @Test
  void listsOfTheKernelAreRead() {
    assertThat(NumaTopology.numbers("0-2,8,10-11\n")).containsExactly(0, 1, 2, 8, 10, 11);
    assertThat(NumaTopology.numbers("\n")).isEmpty();
  }
}
