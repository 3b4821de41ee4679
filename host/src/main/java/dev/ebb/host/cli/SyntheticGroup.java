package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.SyntheticOptions;
import dev.ebb.host.trace.SyntheticTrace;
import dev.ebb.host.trace.TraceWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that make up a trace. */
final class SyntheticGroup {

  @Option(
      names = "--synthetic",
      required = true,
      paramLabel = "SHAPE",
      description =
          "chat (conversations), agent (long, branching prompts), rag (retrieved documents) or zipf"
              + " (independent blocks by popularity)")
  private SyntheticTrace.Shape shape;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Requests to make")
  private long requests;

  @Option(
      names = "--requests-per-second",
      paramLabel = "R",
      defaultValue = "10",
      description = "Arrivals in a second")
  private double requestsPerSecond;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "8",
      description = "chat, agent, rag")
  private int tenants;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "5",
      description = "chat, agent: average length of a conversation")
  private double turns;

  @Option(
      names = "--documents",
      paramLabel = "N",
      defaultValue = "10000",
      description = "rag: documents to retrieve")
  private int documents;

  @Option(
      names = "--objects",
      paramLabel = "N",
      defaultValue = "100000",
      description = "zipf: different blocks")
  private int objects;

  @Option(
      names = "--skew",
      paramLabel = "S",
      defaultValue = "0.9",
      description = "rag, zipf: the k-th most popular is asked for in proportion to 1/k^S")
  private double skew;

  @Option(
      names = "--blocks-per-request",
      paramLabel = "N",
      defaultValue = "1",
      description = "zipf: blocks a request asks for")
  private int blocksPerRequest;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Also writes the made-up trace to a file")
  private @Nullable Path save;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  SyntheticGroup() {}

  SyntheticTrace trace(long seed, int blockTokens) {
    return new SyntheticTrace(
        shape,
        new SyntheticOptions()
            .requests(requests)
            .requestsPerSecond(requestsPerSecond)
            .seed(seed)
            .blockTokens(blockTokens)
            .tenants(tenants)
            .turns(turns)
            .documents(documents)
            .objects(objects)
            .skew(skew)
            .blocksPerRequest(blocksPerRequest));
  }

  void saveIfAsked(long seed, int blockTokens) {
    if (save != null) {
      check(save);
      try (SyntheticTrace trace = trace(seed, blockTokens)) {
        TraceWriter.save(save, trace);
      }
    }
  }

  private static void check(Path file) {
    String name = file.toString();
    if (Files.exists(file)) {
      throw new UserError(
          "--save: '%s' exists, and is left as it is; name another file".formatted(file));
    }
    if (name.endsWith(".xz") || name.endsWith(".zst")) {
      throw new UserError(
          "--save: '%s' would have to be packed; name it .jsonl or .jsonl.gz".formatted(file));
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new UserError(
          "--save: the folder of '%s' does not exist; create it first".formatted(file));
    }
  }

  String name() {
    return "synthetic " + shape;
  }
}
