package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.enginebench.EngineBench;
import dev.ebb.host.enginebench.EngineLoad;
import dev.ebb.host.enginebench.EngineResult;
import dev.ebb.host.enginebench.EngineTarget;
import dev.ebb.host.enginebench.EngineText;
import dev.ebb.host.trace.TraceCursor;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ebb bench engine}: measures a server with OpenAI's API. */
@Command(
    name = "engine",
    description =
        "Sends the prompts of a trace to a server with OpenAI's API (vLLM, SGLang, llama.cpp, Ebb):"
            + " reports prefilled and reused tokens, time to first token, throughput and fairness",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb bench engine",
      "  ebb bench engine --url http://127.0.0.1:8080 --synthetic agent --users 64 --html run.html",
      "  ebb bench engine --trace conversation.jsonl.gz --requests 1000 --speed 2 --json",
      "  ebb bench engine --api chat --rate 4 --max-tokens 64 --api-key env:OPENAI_API_KEY",
      "",
      "See docs/bench.md."
    })
final class EngineBenchCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private EngineBenchGroup options;

  @Override
  public Integer call() {
    EngineTarget target = Usage.of(spec, options::target);
    EngineLoad load = Usage.of(spec, options::load);
    OutputFile page = Usage.of(spec, options::page);
    EngineResult result;
    try (TraceCursor trace = options.open();
        StatusLine line = StatusLine.onStandardError()) {
      result = EngineBench.run(target, load, options.traceName(), trace, progress(line));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(options.json ? EngineText.json(result) : EngineText.write(result));
    out.flush();
    if (page != null) {
      page.write(EngineText.html(result));
      spec.commandLine().getErr().println("ebb: wrote " + page);
    }
    return result.good() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private static EngineBench.Progress progress(StatusLine line) {
    return state -> line.update(() -> text(state));
  }

  private static String text(EngineBench.Progress.State state) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d requests done, %,d answering, %,d waiting for the first token,"
            + " %.1f requests/s, %,.0f tokens/s%s",
        state.done(),
        state.requests(),
        state.answering(),
        state.waiting(),
        state.done() / state.seconds(),
        state.tokens() / state.seconds(),
        state.errors() == 0 ? "" : String.format(Locale.ROOT, ", %,d errors", state.errors()));
  }
}
