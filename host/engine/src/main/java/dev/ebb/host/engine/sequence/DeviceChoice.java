package dev.ebb.host.engine.sequence;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
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
    DevicePartition best = null;
    int most = sequence.home.matchedPages;
    for (DevicePartition partition : engine.partitions) {
      if (partition != sequence.home.partition && !partition.pool.device().lost()) {
        int pages = partition.cachedPages(sequence.chain);
        if (pages > most) {
          most = pages;
          best = partition;
        }
      }
    }
    return best;
  }

  /** Returns the device that has most of a prefix, except one. */
  @Nullable DevicePartition mostOf(KeyChain chain, DevicePartition except) {
    return engine.partitions.stream()
        .filter(partition -> partition != except && !partition.pool.device().lost())
        .max(Comparator.comparingInt(partition -> partition.cachedPages(chain)))
        .filter(partition -> partition.cachedPages(chain) > 0)
        .orElse(null);
  }
}
