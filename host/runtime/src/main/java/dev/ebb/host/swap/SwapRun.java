package dev.ebb.host.swap;

import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.SwitchTimes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.ScanTimes;
import dev.ebb.host.plugin.StrategyVersion;
import java.util.Map;

/** Records the steps of a running switch and their durations. */
final class SwapRun {

  private final SwapRecord record;
  private SwapStep step = SwapStep.VERIFY;
  private long since = System.nanoTime();

  SwapRun(SwapRecord record) {
    this.record = record;
  }

  SwapRecord record() {
    return record;
  }

  void loaded(ScanTimes times) {
    record.took(SwapStep.STAGE, times.stageNanos());
    record.took(SwapStep.VERIFY, times.verifyNanos());
    record.took(SwapStep.LOAD, times.loadNanos());
  }

  void to(StrategyVersion version, Map<String, Object> settings) {
    record.to(version, settings);
  }

  void begin(SwapStep next) {
    long now = System.nanoTime();
    if (step == SwapStep.CREATE || step == SwapStep.SELF_TEST) {
      record.took(step, now - since);
    }
    step = next;
    since = now;
  }

  void tookOver(SwitchTimes times) {
    record.took(SwapStep.SNAPSHOT, times.snapshotNanos());
    record.took(SwapStep.CATCH_UP, times.catchUpNanos());
    record.took(SwapStep.CHECK, times.checkNanos());
  }

  void published() {
    record.took(SwapStep.PUBLISH, System.nanoTime() - since);
    record.published();
  }

  UserError failed(UserError error) {
    record.failed(step, String.join("; ", error.messages()), "");
    return step == SwapStep.VERIFY ? error : unchanged(String.join("; ", error.messages()));
  }

  UserError failed(PolicyFault fault) {
    if (fault.kind() == PolicyFault.Kind.WRONG_SIZE) {
      step = SwapStep.CHECK;
    }
    return failed(String.valueOf(fault.getMessage()), fault.pluginStack());
  }

  UserError failed(String why, String stack) {
    record.failed(step, why, stack);
    return unchanged(why);
  }

  private UserError unchanged(String why) {
    return new UserError(
        record.cause().kind() == SwapCause.Kind.START
            ? why
            : "%s; '%s' stays active".formatted(why, record.from().name()));
  }
}
