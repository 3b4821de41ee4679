package dev.ebb.host.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the GPUs that are connected by NVLink, with NVIDIA's management library (NVML). */
final class Nvml {

  static final String LIBRARY = "libnvidia-ml.so.1";

  private static final Logger LOG = LoggerFactory.getLogger(Nvml.class);

  /** {@code NVML_P2P_CAPS_INDEX_NVLINK}: also true of GPUs that an NVSwitch connects. */
  private static final int NVLINK = 2;

  private final NativeLibrary library;
  private final Arena arena;

  private Nvml(NativeLibrary library, Arena arena) {
    this.library = library;
    this.arena = arena;
  }

  /** A connection from one GPU to another, by their PCI addresses. */
  record NvLink(String from, String to) {}

  /**
   * Returns the NVLink connections, each in both directions. Without NVML logs one line.
   *
   * @param gpus PCI addresses
   */
  static Set<NvLink> links(String library, List<String> gpus) {
    if (gpus.size() < 2) {
      return Set.of();
    }
    try (Arena arena = Arena.ofConfined()) {
      return new Nvml(NativeLibrary.load(library), arena).links(gpus);
    } catch (IllegalArgumentException missing) {
      LOG.info(
          "NVLink is not known: no NVML library={} reason=\"{}\"", library, missing.getMessage());
      return Set.of();
    }
  }

  private Set<NvLink> links(List<String> gpus) {
    int failure = library.call("nvmlInit_v2");
    if (failure != 0) {
      LOG.info("NVLink is not known: nvmlInit_v2 failed error={}", failure);
      return Set.of();
    }
    try {
      Set<NvLink> links = new HashSet<>();
      List<MemorySegment> handles = gpus.stream().map(this::handle).toList();
      for (int from = 0; from < gpus.size(); from++) {
        for (int to = 0; to < gpus.size(); to++) {
          if (from != to && linked(handles.get(from), handles.get(to))) {
            links.add(new NvLink(gpus.get(from), gpus.get(to)));
          }
        }
      }
      return links;
    } finally {
      library.call("nvmlShutdown");
    }
  }

  private MemorySegment handle(String gpu) {
    MemorySegment handle = arena.allocate(ADDRESS);
    int failure = library.call("nvmlDeviceGetHandleByPciBusId_v2", arena.allocateFrom(gpu), handle);
    return failure == 0 ? handle.get(ADDRESS, 0) : MemorySegment.NULL;
  }

  private boolean linked(MemorySegment from, MemorySegment to) {
    MemorySegment status = arena.allocate(JAVA_INT);
    return !from.equals(MemorySegment.NULL)
        && !to.equals(MemorySegment.NULL)
        && library.call("nvmlDeviceGetP2PStatus", from, to, NVLINK, status) == 0
        && status.get(JAVA_INT, 0) == 0;
  }
}
