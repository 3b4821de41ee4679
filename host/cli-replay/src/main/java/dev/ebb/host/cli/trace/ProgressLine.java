package dev.ebb.host.cli.trace;

import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.replay.ReplayProgress;
import dev.ebb.host.replay.ReplayResult;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** A replay's progress with rate and time left. Names the line of a plugin that does not return. */
public final class ProgressLine implements ReplayProgress, AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final StatusLine line;
  private final Consumer<ReplayResult> runs;
  private final Duration patience;
  final Thread watch;
  private long last = System.nanoTime();
  private Phase phase = Phase.DECODING;
  private long phaseStart = System.nanoTime();

  ProgressLine(StatusLine line, Consumer<ReplayResult> runs, Duration patience) {
    this.line = line;
    this.runs = runs;
    this.patience = patience;
    watch = Thread.ofVirtual().start(this::watch);
  }

  /** Returns a line on standard error; the launcher says whether that is a terminal. */
  public static ProgressLine onStandardError() {
    return onStandardError(run -> {});
  }

  /** Returns a line on standard error, which passes on each run that has ended. */
  public static ProgressLine onStandardError(Consumer<ReplayResult> runs) {
    return new ProgressLine(StatusLine.onStandardError(), runs, PATIENCE);
  }

  @Override
  public void ended(ReplayResult run) {
    runs.accept(run);
  }

  @Override
  public synchronized void at(Phase now, double done, double total) {
    long nanos = System.nanoTime();
    last = nanos;
    if (now != phase) {
      phase = now;
      phaseStart = nanos;
      line.restart(nanos);
    }
    line.update(() -> text(done, total, (nanos - phaseStart) / 1e9));
  }

  /** Waits until a plugin has stopped the replay, and says where. */
  private void watch() {
    try {
      do {
        Thread.sleep(patience);
      } while (!isStopped());
    } catch (InterruptedException closed) {
      // The replay has ended.
    }
  }

  private synchronized boolean isStopped() {
    if (watch.isInterrupted() || System.nanoTime() - last < patience.toNanos()) {
      return false;
    }
    Optional<String> where = pluginLine();
    where.ifPresent(found ->
        line.note(
            "ebb: no progress for %d s, in %s; Ctrl-C ends the replay"
                .formatted(patience.toSeconds(), found)));
    return where.isPresent();
  }

  /** Returns the line of a plugin that a replay executes. */
  private static Optional<String> pluginLine() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().startsWith("replay-"))
        .flatMap(thread -> PluginCall.line(List.of(thread.getValue())).stream())
        .findFirst();
  }

  private String text(double done, double total, double seconds) {
    double rate = done / Math.max(1e-9, seconds);
    String what =
        switch (phase) {
          case DECODING ->
              total > 0
                  ? format("reading the trace %3.0f%%", 100 * done / total)
                  : format("reading the stream, %,.0f requests", done);
          case GENERATING -> format("generating a trace %3.0f%%", 100 * done / total);
          case REPLAYING ->
              format(
                  "replaying %3.0f%%, %.1f million references a second",
                  100 * done / total, rate / 1e6);
        };
    return total > 0 && done > 0 ? what + format(", %s left", time((total - done) / rate)) : what;
  }

  private static String time(double seconds) {
    long whole = Math.round(seconds);
    return whole < 60 ? whole + " s" : format("%d min %02d s", whole / 60, whole % 60);
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  @Override
  public synchronized void close() {
    watch.interrupt();
    line.close();
  }
}
