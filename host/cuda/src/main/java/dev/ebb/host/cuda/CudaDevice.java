package dev.ebb.host.cuda;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.numa.NumaTopology;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One NVIDIA GPU. After an error that the driver cannot recover from, every further call throws a
 * {@link DeviceException} whose {@link DeviceException#deviceLost()} is true; closing still works.
 */
public final class CudaDevice implements Device {

  private static final Logger log = LoggerFactory.getLogger(CudaDevice.class);

  private final String name;
  private final CudaContext context;
  private final CudaMemoryMonitor monitor;
  private final PinnedMemory pinned;
  private final CudaResources resources;
  private final Set<CudaSlab> slabs = ConcurrentHashMap.newKeySet();
  private volatile DeviceTopology topology;
  private final AtomicBoolean closed = new AtomicBoolean();

  private CudaDevice(int ordinal, Function<String, Optional<Integer>> numaNode) {
    name = "cuda:" + ordinal;
    context = new CudaContext(name, ordinal, numaNode);
    topology = context.topology();
    try {
      monitor = new CudaMemoryMonitor(context, name);
      pinned = new PinnedMemory(context);
      resources = new CudaResources(context, pinned);
    } catch (RuntimeException | Error e) {
      context.close();
      throw e;
    }
  }

  /**
   * Opens a GPU. Call it only if {@link CudaProbe#found()}.
   *
   * @return the device {@code cuda:<ordinal>}
   * @throws DeviceException if it cannot be used
   */
  public static CudaDevice open(int ordinal) {
    return open(ordinal, NumaTopology::nodeOfPci);
  }

  static CudaDevice open(int ordinal, Function<String, Optional<Integer>> numaNode) {
    JcudaNatives.load();
    CudaDevice device = new CudaDevice(ordinal, numaNode);
    log.info("device opened name={} memory=\"{}\"", device.name, device.monitor.describe());
    return device;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DeviceKind kind() {
    return DeviceKind.CUDA;
  }

  @Override
  public MemoryMonitor memory() {
    return monitor;
  }

  @Override
  public DeviceTopology topology() {
    return topology;
  }

  /** Finds the paths to the other GPUs. */
  void link(List<CudaDevice> all, Set<Nvml.NvLink> nvLinks) {
    List<DeviceTopology.Link> links =
        all.stream()
            .filter(other -> other != this)
            .map(other -> new DeviceTopology.Link(other.name, linkType(other, nvLinks)))
            .sorted(Comparator.comparing(DeviceTopology.Link::type))
            .toList();
    topology = new DeviceTopology(topology.numaNodes(), topology.numaPolicy(), links);
  }

  private DeviceTopology.LinkType linkType(CudaDevice other, Set<Nvml.NvLink> nvLinks) {
    try {
      if (!context.canAccess(other.context)) {
        return DeviceTopology.LinkType.HOST;
      }
    } catch (DeviceException unknown) {
      // The devices can be used, and copies through host memory always work.
      return DeviceTopology.LinkType.HOST;
    }
    return nvLinks.contains(new Nvml.NvLink(context.pciAddress(), other.context.pciAddress()))
        ? DeviceTopology.LinkType.NVLINK
        : DeviceTopology.LinkType.PCIE;
  }

  String pciAddress() {
    return context.pciAddress();
  }

  @Override
  public CudaSlab reserve(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes '%d' must be at least 1".formatted(bytes));
    }
    DevicePointer pointer = new DevicePointer();
    int result = context.call(() -> JCudaDriver.cuMemAlloc(pointer, bytes));
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      throw new DeviceException(
          "'%s' do not fit: %s; use a smaller pool.size, or free what other processes hold ('nvidia-smi' shows them)"
              .formatted(CudaMemoryMonitor.gibibytes(bytes), monitor.describe()));
    }
    context.check(result, "cuMemAlloc");
    CudaSlab slab = new CudaSlab(this, resources, pointer, bytes);
    slabs.add(slab);
    return slab;
  }

  /**
   * Allocates host memory to and from which this GPU copies at full speed.
   *
   * @param bytes at least 1
   * @return the memory, its content unspecified, open until it or the device is closed
   * @throws DeviceException if the system does not allow so much to be pinned
   */
  public PinnedBuffer pin(long bytes) {
    return pinned.allocate(bytes);
  }

  @Override
  public boolean lost() {
    return context.lost();
  }

  @Override
  public void requireUsable() {
    context.refuseIfLost();
  }

  CudaContext context() {
    return context;
  }

  PinnedMemory pinned() {
    return pinned;
  }

  void forget(CudaSlab slab) {
    slabs.remove(slab);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      List.copyOf(slabs).forEach(CudaSlab::close);
      resources.close();
      pinned.close();
      context.close();
    }
  }
}
