package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The CPU time of a process since the start of the measurement. */
final class CpuTime {

  private final ProcessHandle process;
  private Duration since;

  private CpuTime(ProcessHandle process) {
    this.process = process;
    since = used();
  }

  static CpuTime ofThisProcess() {
    return new CpuTime(ProcessHandle.current());
  }

  /**
   * Returns that of another process.
   *
   * @param id its number; 0 for none
   * @throws UserError if there is no such process
   */
  static @Nullable CpuTime of(long id) {
    return id == 0
        ? null
        : new CpuTime(
            ProcessHandle.of(id)
                .filter(process -> process.info().totalCpuDuration().isPresent())
                .orElseThrow(() ->
                    new UserError(
                        "--server-pid '%d': there is no such process, or its CPU time cannot be read; check the number"
                            .formatted(id))));
  }

  void restart() {
    since = used();
  }

  double seconds() {
    return used().minus(since).toNanos() / 1e9;
  }

  private Duration used() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
