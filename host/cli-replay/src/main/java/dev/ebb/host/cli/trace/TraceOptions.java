package dev.ebb.host.cli.trace;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.trace.OnError;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a command that reads recorded traces. */
public final class TraceOptions {

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Reads the first N requests of a trace; all if not given")
  private @Nullable Long limit;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      description = "Tokens in a full block; inferred from the trace if not given")
  private @Nullable Integer blockTokens;

  @Option(
      names = "--on-error",
      paramLabel = "WHAT",
      defaultValue = "stop",
      description = "The action on a malformed line: stop, or skip and count it")
  private OnError onError;

  public long limit() {
    return Usage.atLeastOne("--limit", limit, Long.MAX_VALUE);
  }

  /** Returns the tokens in a full block, or another number if the option is not given. */
  public int blockTokens(int otherwise) {
    return (int) Usage.atLeastOne("--block-tokens", blockTokens, otherwise);
  }

  public OnError onError() {
    return onError;
  }
}
