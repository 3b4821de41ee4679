package dev.ebb.host.device;

import dev.ebb.host.numa.NumaPlacement;
import java.util.List;

/**
 * The place of a device's memory in the machine.
 *
 * @param numaNodes the NUMA nodes of its memory, or the one that is nearest to a GPU; empty if the
 *     machine has one node or the operating system chooses
 * @param numaPolicy the memory policy of Linux: {@code default}, {@code preferred} or {@code
 *     interleave}
 * @param links the other GPUs of a GPU, nearest first
 */
public record DeviceTopology(List<Integer> numaNodes, String numaPolicy, List<Link> links) {

  /** The path of copies between two devices, fastest first. */
  public enum LinkType {
    NVLINK,
    PCIE,
    /** Through host memory. */
    HOST
  }

  /** The path of copies to another device. */
  public record Link(String device, LinkType type) {}

  public DeviceTopology {
    numaNodes = List.copyOf(numaNodes);
    links = List.copyOf(links);
  }

  /** Returns the topology of a device without links. */
  public static DeviceTopology of(NumaPlacement placement) {
    return new DeviceTopology(placement.nodes(), placement.policy().toString(), List.of());
  }

  /** Returns the path of copies to another device. */
  public LinkType linkTo(String device) {
    return links.stream()
        .filter(link -> link.device.equals(device))
        .map(Link::type)
        .findFirst()
        .orElse(LinkType.HOST);
  }
}
