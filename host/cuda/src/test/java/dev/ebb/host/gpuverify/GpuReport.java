package dev.ebb.host.gpuverify;

import dev.ebb.host.cuda.CudaDevice;
import dev.ebb.host.cuda.CudaProbe;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;

/** Writes the results in Markdown, line by line. */
final class GpuReport {

  private final PrintWriter out;
  private int checks;
  private int wrong;

  GpuReport(PrintWriter out) {
    this.out = out;
  }

  void machine(CudaProbe probe, CudaDevice device, int ordinal) {
    out.println("| | |");
    out.println("|---|---|");
    row("date", LocalDate.now(ZoneOffset.UTC).toString());
    row("card", probe.deviceNames().get(ordinal) + ", one of " + probe.deviceNames().size());
    row("driver", "CUDA " + probe.driverVersion() / 1000 + "." + probe.driverVersion() % 1000 / 10);
    row("memory", device.memory().describe());
    row("runtime", "Java " + Runtime.version());
  }

  void startChecks() {
    out.println();
    out.println("| check | result | against the CPU |");
    out.println("|---|---|---|");
  }

  void exact(String check, long differences) {
    result(
        check,
        differences == 0,
        differences == 0 ? "the same bytes" : differences + " rows or blocks differ");
  }

  void close(String check, double worst, double allowed) {
    result(
        check,
        worst <= allowed,
        String.format(Locale.ROOT, "worst difference %.1e, allowed %.1e", worst, allowed));
  }

  private void result(String check, boolean right, String detail) {
    checks++;
    if (!right) {
      wrong++;
    }
    out.println("| " + check + " | " + (right ? "right" : "WRONG") + " | " + detail + " |");
  }

  void startMeasurements() {
    out.println();
    out.println("| measured | median | |");
    out.println("|---|--:|---|");
  }

  void rate(String what, double seconds, long bytes, String note) {
    measured(what, String.format(Locale.ROOT, "%.1f GB/s", bytes / seconds / 1e9), note);
  }

  void time(String what, double seconds, String note) {
    measured(what, String.format(Locale.ROOT, "%.3f ms", seconds * 1e3), note);
  }

  private void measured(String what, String value, String note) {
    out.println("| " + what + " | " + value + " | " + note + " |");
  }

  private void row(String what, String value) {
    out.println("| " + what + " | " + value + " |");
  }

  boolean endChecks() {
    out.println();
    out.println(
        wrong == 0
            ? "All %d checks passed".formatted(checks)
            : "%d of %d checks FAILED".formatted(wrong, checks));
    return wrong == 0;
  }
}
