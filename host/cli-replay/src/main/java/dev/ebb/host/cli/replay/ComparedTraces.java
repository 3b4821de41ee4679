package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.trace.ProgressLine;
import dev.ebb.host.cli.trace.TraceNames;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.Replay;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.wiring.Host;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The traces of a command that replays them several times: files, or a synthetic one. */
public final class ComparedTraces {

  @Option(
      names = "--synthetic",
      paramLabel = "SHAPE",
      description = "A synthetic trace: chat, agent, fork, rag or zipf; chat if no trace is given")
  private SyntheticTrace.@Nullable Shape shape;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Requests of the synthetic trace")
  private long requests;

  /**
   * Checks the options.
   *
   * @throws UserError if one is wrong
   */
  public void check(List<String> files) {
    Usage.between("--requests", requests, 1, Long.MAX_VALUE);
    if (files.contains(TraceReader.STANDARD_INPUT)) {
      throw new UserError("a stream cannot be replayed several times; name a file, not '-'");
    }
  }

  /** Replays one trace after the other; a failing one does not affect the others. */
  public void replay(
      List<String> files, Host host, ReplayOptions options, Consumer<ReplayReport> reports) {
    if (shape != null || files.isEmpty()) {
      SyntheticTrace.Shape made = shape == null ? SyntheticTrace.Shape.CHAT : shape;
      SyntheticOptions how = new SyntheticOptions().requests(requests).seed(options.seed());
      reports.accept(replay(host, options, "synthetic " + made, new SyntheticTrace(made, how)));
    }
    TraceNames.of(files)
        .forEach((trace, label) ->
            reports.accept(replay(host, options, label, TraceReader.open(trace, OnError.STOP))));
  }

  private static ReplayReport replay(
      Host host, ReplayOptions options, String label, TraceCursor trace) {
    try (trace;
        ProgressLine progress = ProgressLine.onStandardError()) {
      Replay replay = new Replay(host.policies(), options, progress);
      return replay.file(replay.decode(label, trace));
    } catch (UserError wrong) {
      return ReplayReport.failed(label, options.model(), String.valueOf(wrong.getMessage()));
    }
  }
}
