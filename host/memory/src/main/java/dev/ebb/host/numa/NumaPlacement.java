package dev.ebb.host.numa;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NUMA nodes on which pages are allocated. It takes effect on pages that are first written
 * afterwards. If nodes have no free memory, others are used.
 *
 * @param nodes empty for the default policy
 */
public record NumaPlacement(Policy policy, List<Integer> nodes) {

  /** A memory policy of Linux. */
  public enum Policy {
    /** The node of the thread that first writes to a page. */
    DEFAULT(0),
    /** One node. */
    PREFERRED(1),
    /** Several nodes in turn, page by page. */
    INTERLEAVE(3);

    /** The policy's number in system calls. */
    final int number;

    Policy(int number) {
      this.number = number;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(NumaPlacement.class);

  /** Leaves the placement to the operating system. */
  public static final NumaPlacement DEFAULT = new NumaPlacement(Policy.DEFAULT, List.of());

  public NumaPlacement {
    nodes = List.copyOf(nodes);
  }

  /**
   * Returns the placement near the GPUs of the machine, because the data is copied to and from
   * them; without a GPU near the processors of this process.
   */
  public static NumaPlacement local(NumaTopology topology) {
    List<Integer> near = topology.gpuNodes().isEmpty() ? topology.ofProcess() : topology.gpuNodes();
    return on(topology, near);
  }

  /** Returns the placement on all nodes that this process may use. */
  public static NumaPlacement interleaved(NumaTopology topology) {
    return on(topology, topology.usable());
  }

  private static NumaPlacement on(NumaTopology topology, List<Integer> nodes) {
    if (topology.usable().size() < 2 || nodes.isEmpty()) {
      LOG.info("memory is not placed on NUMA nodes usable={} chosen={}", topology.usable(), nodes);
      return DEFAULT;
    }
    return preferring(nodes);
  }

  /** Returns the placement on nodes that exist, at least one. */
  public static NumaPlacement preferring(List<Integer> nodes) {
    return new NumaPlacement(nodes.size() == 1 ? Policy.PREFERRED : Policy.INTERLEAVE, nodes);
  }

  /**
   * Applies it to the pages of a mapping. If the operating system refuses, logs one line.
   *
   * @param memory starts at a page
   */
  public boolean applyTo(MemorySegment memory) {
    return policy == Policy.DEFAULT || accepted(MemoryPolicy.bind(memory, policy, nodes), "mbind");
  }

  /**
   * Applies it to what the current thread allocates from the operating system. If that refuses,
   * logs one line.
   */
  public boolean applyToThread() {
    return policy == Policy.DEFAULT
        || accepted(MemoryPolicy.setForThread(policy, nodes), "set_mempolicy");
  }

  private boolean accepted(int error, String call) {
    if (error != 0) {
      LOG.warn(
          "memory is not placed on NUMA nodes policy={} nodes={} call={} errno={}; in a container,"
              + " allow the call (CAP_SYS_NICE)",
          policy,
          nodes,
          call,
          error);
    }
    return error == 0;
  }

  @Override
  public String toString() {
    return policy == Policy.DEFAULT
        ? policy.toString()
        : nodes.stream().map(String::valueOf).collect(Collectors.joining(",", policy + ":", ""));
  }
}
