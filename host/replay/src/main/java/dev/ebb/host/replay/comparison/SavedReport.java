package dev.ebb.host.replay.comparison;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A report of a replay that was saved as JSON. Fields that a comparison does not use are ignored.
 */
public record SavedReport(String name, List<Trace> traces, List<Run> runs) {

  private static final String REMEDY = "save one with 'ebb replay TRACE --json > report.json'";
  private static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  public SavedReport {
    traces = List.copyOf(traces);
    runs = List.copyOf(runs);
  }

  /** A replayed trace; numbers are null if it could not be replayed. */
  public record Trace(
      String trace,
      String model,
      @Nullable Long requests,
      @Nullable Long references,
      @Nullable Long distinctBlocks,
      @Nullable String failure) {}

  /** A run of one policy at one capacity; numbers are null if not known, or if it failed. */
  public record Run(
      String trace,
      String model,
      String policy,
      long capacityBlocks,
      @Nullable Double hitRatio,
      @Nullable Long requestTokens,
      @Nullable Long prefixHitTokens,
      @Nullable Long prefillTokensP99,
      @Nullable String failure,
      @Nullable Spreads spread) {

    Run withPolicy(String name) {
      return new Run(
          trace,
          model,
          name,
          capacityBlocks,
          hitRatio,
          requestTokens,
          prefixHitTokens,
          prefillTokensP99,
          failure,
          spread);
    }

    /** Returns the prompt tokens that had to be computed in the whole trace; -1 if not known. */
    public long prefillTokens() {
      return requestTokens == null || prefixHitTokens == null
          ? -1
          : requestTokens - prefixHitTokens;
    }
  }

  /** The spreads of a run over several seeds. */
  public record Spreads(int seeds, Range hitRatio) {}

  /** The lowest and highest value of a number over several seeds. */
  public record Range(@Nullable Double min, @Nullable Double max) {}

  private record Document(@Nullable List<Trace> traces, @Nullable List<Run> runs) {}

  /**
   * Reads a file.
   *
   * @throws UserError if it cannot be read or is not a report
   */
  public static SavedReport read(Path file) {
    byte[] text;
    try {
      text = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new UserError("report '%s' does not exist; %s".formatted(file, REMEDY));
    } catch (IOException e) {
      throw new UserError(
          "report '%s' cannot be read: %s; check the path".formatted(file, Reasons.of(e)));
    }
    Document document;
    try {
      document = MAPPER.readValue(text, Document.class);
    } catch (JacksonException e) {
      throw notAReport(file, "it is not JSON of that form");
    }
    if (document == null || document.traces() == null || document.runs() == null) {
      throw notAReport(file, "'traces' or 'runs' is missing");
    }
    checkRuns(file, document.runs());
    return new SavedReport(file.toString(), document.traces(), document.runs());
  }

  /**
   * Returns the report with other names of policies.
   *
   * @param names the new name of each old one
   * @throws UserError if there is no policy of an old name, or already one of a new name
   */
  public SavedReport renamed(Map<String, String> names) {
    Set<String> policies = runs.stream().map(Run::policy).collect(Collectors.toSet());
    names.forEach((old, name) -> {
      if (!policies.contains(old) || policies.contains(name)) {
        throw new UserError(
            "--rename: '%s=%s': report '%s' has %s; name one of its policies, and one that only the other report has: %s"
                .formatted(
                    old,
                    name,
                    this.name,
                    policies.contains(old) ? "both" : "no policy '%s'".formatted(old),
                    policies.stream().sorted().toList()));
      }
    });
    return new SavedReport(
        name,
        traces,
        runs.stream()
            .map(run -> run.withPolicy(names.getOrDefault(run.policy(), run.policy())))
            .toList());
  }

  private static void checkRuns(Path file, List<Run> runs) {
    for (Run run : runs) {
      if (run == null || run.trace() == null || run.model() == null || run.policy() == null) {
        throw notAReport(file, "a run has no 'trace', 'model' or 'policy'");
      }
    }
  }

  private static UserError notAReport(Path file, String reason) {
    return new UserError(
        "report '%s' is not a report of 'ebb replay --json': %s; %s"
            .formatted(file, reason, REMEDY));
  }
}
