package dev.ebb.host.cuda;

import static dev.ebb.host.device.DeviceTopology.LinkType.HOST;
import static dev.ebb.host.device.DeviceTopology.LinkType.NVLINK;
import static dev.ebb.host.device.DeviceTopology.LinkType.PCIE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceTopology.Link;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CudaTopologyTest {

  @BeforeEach
  void freshDriver() {
    TestDriver.reset(3, 64 << 20);
  }

  private static void withDevices(Consumer<List<Device>> test) {
    List<Device> devices = new CudaDeviceProvider().require();
    try {
      test.accept(devices);
    } finally {
      devices.forEach(Device::close);
    }
  }

  @Test
  void gpusKnowTheirLinksNearestFirst() {
    TestDriver.link(0, 2);
    withDevices(devices -> {
      assertThat(devices.get(0).topology().links())
          .containsExactly(new Link("cuda:2", NVLINK), new Link("cuda:1", PCIE));
      assertThat(devices.get(1).topology().links())
          .containsExactly(new Link("cuda:0", PCIE), new Link("cuda:2", PCIE));
      assertThat(devices.get(2).topology().linkTo("cuda:0")).isEqualTo(NVLINK);
      assertThat(devices.get(2).topology().linkTo("host")).isEqualTo(HOST);
    });
  }

  @Test
  void gpusThatDoNotReachEachOtherCopyThroughTheHost() {
    TestDriver.link(0, 1);
    TestDriver.forbidPeers();
    withDevices(devices ->
        assertThat(devices.get(0).topology().links())
            .containsExactly(new Link("cuda:1", HOST), new Link("cuda:2", HOST)));
  }

  @Test
  void withoutNvmlTheDriverKnowsThePciePeers() {
    TestDriver.link(0, 1);
    TestDriver.failNvml(9);
    withDevices(devices ->
        assertThat(devices.get(0).topology().links())
            .containsExactly(new Link("cuda:1", PCIE), new Link("cuda:2", PCIE)));
  }

  @Test
  void aMissingLibraryAndUnknownGpusHaveNoLinks() {
    List<String> gpus = List.of("0000:01:00.0", "0000:02:00.0");
    assertThat(Nvml.links("libnvidia-of-nobody.so.1", gpus)).isEmpty();
    TestDriver.link(0, 1);
    assertThat(Nvml.links(Nvml.LIBRARY, gpus))
        .containsExactlyInAnyOrder(
            new Nvml.NvLink(gpus.get(0), gpus.get(1)), new Nvml.NvLink(gpus.get(1), gpus.get(0)));
    assertThat(Nvml.links(Nvml.LIBRARY, List.of(gpus.get(0), "0000:77:00.0"))).isEmpty();
    assertThat(Nvml.links(Nvml.LIBRARY, gpus.subList(0, 1))).isEmpty();
  }

  /** With the only node of a machine, since tests cannot count on another. */
  @Test
  void theThreadThatPinsMemoryIsOnTheNodeOfItsGpu() {
    try (CudaDevice device =
            CudaDevice.open(
                1, address -> address.equals("0000:02:00.0") ? Optional.of(0) : Optional.empty());
        CudaDevice other = CudaDevice.open(0, address -> Optional.empty())) {
      assertThat(device.topology().numaNodes()).containsExactly(0);
      assertThat(policies(device)).contains("prefer:0");
      assertThat(other.topology().numaNodes()).isEmpty();
      assertThat(policies(other)).doesNotContain("prefer:0");
    }
  }

  private static String policies(CudaDevice device) {
    return device.context().call(() -> Files.readString(Path.of("/proc/thread-self/numa_maps")));
  }
}
