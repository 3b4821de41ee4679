package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaProbe;
import dev.ebb.host.device.DeviceException;
import java.io.PrintWriter;
import java.util.List;

/** The command {@code gpu/verify}. */
public final class GpuVerify {

  private static final int RIGHT = 0;
  private static final int WRONG = 1;
  private static final int WRONG_USAGE = 2;
  private static final int NO_GPU = 3;

  private GpuVerify() {}

  /**
   * Verifies a GPU and exits the process: 0 if all checks passed or help was requested, 1 if a
   * check failed, 2 for a wrong command line, 3 without a GPU.
   *
   * @param arguments {@code --quick}, {@code --device N}, {@code --help}
   */
  public static void main(String[] arguments) {
    System.exit(
        run(
            new PrintWriter(System.out, true, System.out.charset()),
            new PrintWriter(System.err, true, System.err.charset()),
            arguments));
  }

  /**
   * Verifies a GPU.
   *
   * @param out receives the tables, in Markdown
   * @param err receives the errors
   * @param arguments the command line
   * @return the exit code
   */
  public static int run(PrintWriter out, PrintWriter err, String... arguments) {
    Arguments chosen;
    try {
      chosen = Arguments.of(List.of(arguments));
    } catch (IllegalArgumentException mistake) {
      err.println("gpu/verify: " + mistake.getMessage());
      return WRONG_USAGE;
    }
    if (chosen.help()) {
      out.print(Arguments.HELP);
      out.flush();
      return RIGHT;
    }
    CudaProbe probe = CudaProbe.run();
    if (!probe.found()) {
      err.println("gpu/verify: " + probe.reason());
      return NO_GPU;
    }
    if (chosen.device() >= probe.deviceNames().size()) {
      err.println(
          "gpu/verify: --device '%d' must be from 0 to %d"
              .formatted(chosen.device(), probe.deviceNames().size() - 1));
      return WRONG_USAGE;
    }
    try (CudaDevice device = CudaDevice.open(chosen.device())) {
      return verify(new GpuReport(out), probe, device, chosen) ? RIGHT : WRONG;
    } catch (DeviceException failure) {
      err.println("gpu/verify: " + failure.getMessage());
      return WRONG;
    }
  }

  private static boolean verify(
      GpuReport report, CudaProbe probe, CudaDevice device, Arguments chosen) {
    report.machine(probe, device, chosen.device());
    int cards = probe.deviceNames().size();
    PeerCopies peers = new PeerCopies(device, (chosen.device() + 1) % cards, report);
    report.startChecks();
    new BlockChecks(device, report).run();
    new SignalChecks(device, report).run();
    if (cards > 1) {
      peers.check();
    }
    if (!report.endChecks()) {
      // The speed of a wrong result is useless.
      return false;
    }
    report.startMeasurements();
    Timing timing = new Timing(chosen.quick());
    long bytes = chosen.slabBytes(device.memory().availableBytes());
    new CopyMeasurements(device, report, timing, bytes).run();
    new KernelMeasurements(device, report, timing, bytes).run();
    if (cards > 1) {
      peers.measure(timing, bytes / 2);
    }
    return true;
  }
}
