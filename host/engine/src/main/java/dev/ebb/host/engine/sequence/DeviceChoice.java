package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.errors.UserError;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the device of a new sequence. Under the engine's lock. */
public final class DeviceChoice {

  private final Engine engine;

  DeviceChoice(Engine engine) {
    this.engine = engine;
  }

  /**
   * Finds a device by its name.
   *
   * @throws UserError if there is no such device
   * @throws DeviceException if it is lost
   */
  public DevicePartition named(String name) {
    DevicePartition found =
        engine.partitions.stream()
            .filter(partition -> partition.name().equals(name))
            .findFirst()
            .orElseThrow(() -> unknown(name));
    found.pool.device().requireUsable();
    return found;
  }

  public UserError unknown(String name) {
    return new UserError(
        "there is no device '%s'; this Ebb has %s"
            .formatted(name, engine.partitions.stream().map(DevicePartition::name).toList()));
  }

  /**
   * Returns the requested device. Otherwise, of those with room, the one with most of the prefix;
   * among equals the one with most room. If there are GPUs, host memory is used only on request: an
   * engine's kernels do not run there.
   */
  DevicePartition choose(SequenceRequest asked, KeyChain chain) {
    String device = asked.device();
    if (device != null) {
      return named(device);
    }
    if (engine.partitions.size() == 1) {
      return engine.partitions.getFirst();
    }
    List<DevicePartition> usable = usable();
    int blocks = Math.multiplyExact(engine.pages(asked.most()), engine.layout().laneGroups());
    return usable.stream()
        .max(
            Comparator.<DevicePartition, Boolean>comparing(
                    partition -> partition.obtainableBlocks() >= blocks)
                .thenComparingInt(partition -> partition.cachedPages(chain))
                .thenComparingLong(DevicePartition::obtainableBlocks))
        .orElseThrow();
  }

  private List<DevicePartition> usable() {
    List<DevicePartition> all = engine.partitions;
    boolean cards = all.stream().anyMatch(DeviceChoice::onCard);
    List<DevicePartition> usable =
        all.stream()
            .filter(partition -> onCard(partition) == cards)
            .filter(partition -> !partition.pool.device().lost())
            .toList();
    if (usable.isEmpty()) {
      throw new DeviceException("every GPU is lost; restart the process", true);
    }
    return usable;
  }

  private static boolean onCard(DevicePartition partition) {
    return partition.pool.device().kind() == DeviceKind.CUDA;
  }

  /**
   * Returns the device, if any, that has more of a sequence's prompt cached than it has matched.
   */
  @Nullable DevicePartition elsewhere(Sequence sequence) {
    return mostOf(sequence.chain, sequence.home.partition, sequence.home.matchedPages);
  }

  /**
   * Returns the device that has most of a prefix, except the one to copy it to. Of several the one
   * on the fastest path: NVLink, PCIe, through host memory.
   *
   * @param pages it has more than these
   */
  @Nullable DevicePartition mostOf(KeyChain chain, DevicePartition target, int pages) {
    if (engine.partitions.size() == 1) {
      return null;
    }
    DeviceTopology topology = target.pool.device().topology();
    return engine.partitions.stream()
        .filter(partition -> partition != target && !partition.pool.device().lost())
        .filter(partition -> partition.cachedPages(chain) > pages)
        .max(
            Comparator.<DevicePartition>comparingInt(partition -> partition.cachedPages(chain))
                .thenComparing(
                    partition -> topology.linkTo(partition.name()), Comparator.reverseOrder()))
        .orElse(null);
  }
}
