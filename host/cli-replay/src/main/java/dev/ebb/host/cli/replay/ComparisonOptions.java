package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.trace.HtmlOption;
import dev.ebb.host.replay.Capacity;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that compares block policies on traces. */
public final class ComparisonOptions {

  @Option(
      names = {"-c", "--capacity"},
      paramLabel = "LIST",
      defaultValue = "1%,5%,10%,20%",
      description = "Cache sizes: numbers of blocks, or shares of the trace's distinct blocks")
  private String capacities;

  @Mixin private HtmlOption html;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the policies' randomness and of the synthetic trace")
  private long seed;

  public List<Capacity> capacities() {
    return Capacity.parseAll(capacities);
  }

  public long seed() {
    return seed;
  }

  /** Returns the file of the page, which is none of the traces; null if none is wanted. */
  public @Nullable OutputFile page(List<String> traces) {
    return html.page(traces);
  }
}
