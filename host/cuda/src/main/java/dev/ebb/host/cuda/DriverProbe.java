package dev.ebb.host.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Probes the driver through the JDK's own foreign functions. JCuda cannot be used for that: without
 * a driver its first use fails for good.
 */
final class DriverProbe {

  /** The first version that has every function JCuda 12.6 links to. */
  private static final int OLDEST_DRIVER = 12_000;

  private static final int NO_DEVICE = 100;
  private static final int NAME_BYTES = 256;

  private final NativeLibrary driver;
  private final Arena arena;

  private DriverProbe(NativeLibrary driver, Arena arena) {
    this.driver = driver;
    this.arena = arena;
  }

  static CudaProbe run(String library) {
    String platform = platform();
    if (!platform.equals("linux amd64")) {
      return none(0, "the CUDA device needs Linux on x86-64, but this is '" + platform + "'");
    }
    try (Arena arena = Arena.ofConfined()) {
      NativeLibrary driver = NativeLibrary.load(library);
      return new DriverProbe(driver, arena).ask();
    } catch (IllegalArgumentException notThere) {
      return none(
          0,
          "there is no NVIDIA driver: '%s' was not found; install the driver, or use pool.device = host"
              .formatted(library));
    }
  }

  private static String platform() {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT)
        + " "
        + System.getProperty("os.arch", "");
  }

  private static CudaProbe none(int version, String reason) {
    return new CudaProbe(List.of(), version, reason);
  }

  private CudaProbe ask() {
    MemorySegment answer = arena.allocate(JAVA_INT);
    if (driver.call("cuDriverGetVersion", answer) != 0) {
      return none(0, "the NVIDIA driver does not report its version; install it again");
    }
    int version = answer.get(JAVA_INT, 0);
    if (version < OLDEST_DRIVER) {
      return none(
          version,
          "the NVIDIA driver supports CUDA '%s', but at least 12.0 is needed; install driver 525 or newer"
              .formatted(dotted(version)));
    }
    int failure = driver.call("cuInit", 0);
    if (failure == NO_DEVICE) {
      return none(version, "the NVIDIA driver is installed, but it finds no GPU; see 'nvidia-smi'");
    }
    if (failure != 0) {
      return none(
          version,
          "the NVIDIA driver does not start: cuInit failed with '%d'; see 'nvidia-smi'"
              .formatted(failure));
    }
    failure = driver.call("cuDeviceGetCount", answer);
    if (failure != 0 || answer.get(JAVA_INT, 0) == 0) {
      return none(
          version,
          "the NVIDIA driver lists no GPU (error '%d'); see CUDA_VISIBLE_DEVICES and 'nvidia-smi'"
              .formatted(failure));
    }
    return new CudaProbe(names(answer.get(JAVA_INT, 0)), version, "");
  }

  private List<String> names(int count) {
    MemorySegment text = arena.allocate(NAME_BYTES);
    List<String> names = new ArrayList<>();
    for (int device = 0; device < count; device++) {
      text.fill((byte) 0);
      int failure = driver.call("cuDeviceGetName", text, NAME_BYTES - 1, device);
      names.add(failure == 0 ? text.getString(0) : "unnamed");
    }
    return names;
  }

  private static String dotted(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
