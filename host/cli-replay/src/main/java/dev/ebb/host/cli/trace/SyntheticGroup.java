package dev.ebb.host.cli.trace;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.fit.FittedTrace;
import dev.ebb.host.replay.fit.ProfileFile;
import dev.ebb.host.replay.fit.ReuseProfile;
import dev.ebb.host.trace.SavingCursor;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a synthetic trace. */
public final class SyntheticGroup {

  private static final int SHAPE_BLOCK_TOKENS = 16;

  @Option(
      names = "--synthetic",
      paramLabel = "SHAPE",
      description =
          "chat (conversations), agent (long, growing prompts), fork (attempts that begin again"
              + " inside a long prompt), rag (retrieved documents) or zipf (independent blocks by"
              + " popularity)")
  private SyntheticTrace.@Nullable Shape shape;

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description = "In place of a shape, a profile of a recorded trace that 'ebb fit' wrote")
  private @Nullable String profile;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "Number of requests; 10000 if not given, or the number of the profile's trace")
  private @Nullable Long requests;

  @Option(
      names = "--requests-per-second",
      paramLabel = "R",
      description = "Requests per second; 10 if not given, or the rate of the profile's trace")
  private @Nullable Double requestsPerSecond;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "8",
      description = "chat, agent, fork, rag")
  private int tenants;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "5",
      description = "chat, agent, fork: average length of a conversation")
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
      description = "rag, zipf: the k-th most popular is requested in proportion to 1/k^S")
  private double skew;

  @Option(
      names = "--blocks-per-request",
      paramLabel = "N",
      defaultValue = "1",
      description = "zipf: blocks per request")
  private int blocksPerRequest;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Also writes the synthetic trace to a file")
  private @Nullable String save;

  private @Nullable ReuseProfile read;

  /**
   * Returns the trace, ready to be read; it is saved meanwhile if the user wants that.
   *
   * @throws UserError if an option is wrong
   */
  public TraceCursor open(long seed, int blockTokens) {
    TraceCursor trace = trace(seed, blockTokens);
    return save == null ? trace : new SavingCursor(trace, Path.of(save));
  }

  /**
   * Checks the options before anything is run.
   *
   * @param page the file of the report, null for none
   * @throws UserError if one is wrong
   */
  public void check(@Nullable OutputFile page) {
    if ((shape == null) == (profile == null)) {
      throw new UserError(
          "give either --synthetic chat|agent|fork|rag|zipf or --profile FILE for a synthetic"
              + " trace");
    }
    trace(0, 1).close();
    if (save == null) {
      return;
    }
    OutputFile file = new OutputFile(save, "--save").mustBeNew();
    if (page != null) {
      file.mustNotBe(page.path(), "the file of --html");
    }
    if (save.endsWith(".xz") || save.endsWith(".zst")) {
      throw new UserError(
          "--save: '%s' has an unsupported compression; name it .jsonl or .jsonl.gz"
              .formatted(save));
    }
  }

  /**
   * Checks that the trace of one seed can be saved.
   *
   * @throws UserError if there are several
   */
  public void checkSeeds(int seeds) {
    if (save != null && seeds > 1) {
      throw new UserError(
          "--save: '%s' holds one trace, and --seeds '%d' makes several; leave one of them out"
              .formatted(save, seeds));
    }
  }

  private TraceCursor trace(long seed, int blockTokens) {
    SyntheticOptions options =
        new SyntheticOptions()
            .seed(seed)
            .blockTokens(blockTokens)
            .tenants((int) Usage.between("--tenants", tenants, 1, Long.MAX_VALUE))
            .turns(Usage.atLeast("--turns", turns, 1))
            .documents((int) Usage.between("--documents", documents, 1, Long.MAX_VALUE))
            .objects((int) Usage.between("--objects", objects, 1, Long.MAX_VALUE))
            .skew(Usage.atLeast("--skew", skew, 0))
            .blocksPerRequest(
                (int) Usage.between("--blocks-per-request", blocksPerRequest, 1, Long.MAX_VALUE));
    if (requests != null) {
      options.requests(Usage.between("--requests", requests, 1, Long.MAX_VALUE));
    }
    if (requestsPerSecond != null) {
      options.requestsPerSecond(Usage.positive("--requests-per-second", requestsPerSecond));
    }
    if (shape != null) {
      return new SyntheticTrace(shape, options);
    }
    return new FittedTrace(
        profile(),
        requests == null ? 0 : requests,
        requestsPerSecond == null ? 0 : requestsPerSecond,
        blockTokens,
        seed);
  }

  private ReuseProfile profile() {
    ReuseProfile known = read;
    if (known == null) {
      known = ProfileFile.read(Usage.file("--profile", requireNonNull(profile)));
      read = known;
    }
    return known;
  }

  /** Returns the tokens of a block if the user gives none. */
  public int blockTokens() {
    return shape == null ? profile().blockTokens() : SHAPE_BLOCK_TOKENS;
  }

  public String option() {
    String source = profile == null ? "an option of --synthetic" : "--profile";
    return shape == null ? source : "--synthetic";
  }

  public String name() {
    return shape == null
        ? "profile " + Path.of(requireNonNull(profile)).getFileName()
        : "synthetic " + shape;
  }
}
