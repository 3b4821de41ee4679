package dev.ebb.host.replay.suite;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads a suite from a HOCON file. Paths of traces are relative to its folder. It cannot include
 * files or read environment variables, so that it means the same everywhere.
 */
public final class SuiteFile {

  /** The keys of the file. */
  public static final Set<String> KEYS =
      Set.of("name", "traces", "policies", "capacity", "model", "seed", "seeds", "limit");

  private static final Set<String> TRACE_KEYS =
      Set.of(
          "name",
          "file",
          "synthetic",
          "requests",
          "requests-per-second",
          "tenants",
          "turns",
          "documents",
          "objects",
          "skew",
          "blocks-per-request");
  private static final int MOST_SEEDS = 1_000;

  private final Path file;
  private final String name;

  private SuiteFile(Path file) {
    this.file = file;
    this.name = file.toString();
  }

  /**
   * Reads a suite.
   *
   * @throws UserError if it cannot be read, or something in it is wrong
   */
  public static ReplaySuite read(Path file) {
    return new SuiteFile(file).read();
  }

  private ReplaySuite read() {
    SuiteSection root = new SuiteSection(name, parsed().root(), KEYS);
    List<ReplaySuite.Trace> traces = traces(root);
    List<PolicySpec> policies = new ArrayList<>();
    for (ConfigValue policy : root.list("policies")) {
      policies.addAll(root.at(policy, text -> PolicySpec.parseList(text, "policies")));
    }
    List<Capacity> capacities = new ArrayList<>();
    for (ConfigValue capacity : root.list("capacity")) {
      capacities.addAll(root.at(capacity, Capacity::parseAll));
    }
    return new ReplaySuite(
        root.text("name", stem()),
        traces,
        policies,
        capacities.isEmpty() ? Capacity.parseAll("1%,5%,10%,20%") : capacities,
        root.at("model", ReplayModel.PREFIX.toString(), SuiteFile::model),
        root.whole("seed", 1, Long.MIN_VALUE, Long.MAX_VALUE),
        (int) root.whole("seeds", 1, 1, MOST_SEEDS),
        root.whole("limit", Long.MAX_VALUE, 1, Long.MAX_VALUE));
  }

  private Config parsed() {
    try {
      return UntrustedHocon.parse(Files.readString(file), name);
    } catch (NoSuchFileException e) {
      throw new UserError("suite '%s' does not exist; check the path".formatted(name));
    } catch (IOException e) {
      throw new UserError(
          "suite '%s' cannot be read: %s; check the path".formatted(name, Reasons.of(e)));
    } catch (ConfigException e) {
      throw new UserError(
          String.valueOf(e.getMessage()).replaceFirst("^(.+?): (\\d+): ", "$1:$2: "));
    }
  }

  private String stem() {
    return String.valueOf(file.getFileName()).replaceFirst("\\.[^.]*$", "");
  }

  private static ReplayModel model(String text) {
    for (ReplayModel model : ReplayModel.values()) {
      if (model.toString().equals(text)) {
        return model;
      }
    }
    throw new UserError("model is '%s', must be prefix or object".formatted(text));
  }

  private List<ReplaySuite.Trace> traces(SuiteSection root) {
    List<ReplaySuite.Trace> traces = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ConfigValue value : root.list("traces")) {
      ReplaySuite.Trace trace =
          value instanceof ConfigObject section
              ? trace(new SuiteSection(name, section, TRACE_KEYS))
              : root.at(value, text -> ofFile(text, ""));
      if (!names.add(trace.name())) {
        throw root.wrong(
            value, "there are two traces '%s'; give one another name".formatted(trace.name()));
      }
      traces.add(trace);
    }
    if (traces.isEmpty()) {
      throw root.wrong(
          null, "traces is missing or empty; list files, or sections such as { synthetic = chat }");
    }
    return traces;
  }

  private ReplaySuite.Trace trace(SuiteSection section) {
    if (section.has("file") == section.has("synthetic")) {
      throw section.wrong(null, "a trace has either 'file' or 'synthetic'");
    }
    String label = section.text("name", "");
    if (section.has("file")) {
      return section.at("file", "", text -> ofFile(text, label));
    }
    SyntheticTrace.Shape shape = section.at("synthetic", "", SyntheticTrace.Shape::of);
    section.at((ConfigValue) null, nothing -> options(section));
    return new ReplaySuite.Trace(
        label.isEmpty() ? "synthetic " + shape : label, null, shape, () -> options(section));
  }

  private ReplaySuite.Trace ofFile(String text, String label) {
    Path place = file.resolveSibling(TraceReader.path(text));
    if (!Files.isRegularFile(place)) {
      throw new UserError(
          "trace '%s' is not a file; its path is relative to the folder of the suite"
              .formatted(text));
    }
    String plain = label.isEmpty() ? String.valueOf(place.getFileName()) : label;
    return new ReplaySuite.Trace(plain, place, null, SyntheticOptions::new);
  }

  private static SyntheticOptions options(SuiteSection section) {
    SyntheticOptions options = new SyntheticOptions().blockTokens(ReplaySuite.Trace.BLOCK_TOKENS);
    options.requests(section.whole("requests", 10_000, 1, Long.MAX_VALUE));
    section.number("requests-per-second", options::requestsPerSecond);
    section.number("turns", options::turns);
    section.number("skew", options::skew);
    options.tenants((int) section.whole("tenants", 8, 1, Integer.MAX_VALUE));
    options.documents((int) section.whole("documents", 10_000, 1, Integer.MAX_VALUE));
    options.objects((int) section.whole("objects", 100_000, 1, Integer.MAX_VALUE));
    options.blocksPerRequest((int) section.whole("blocks-per-request", 1, 1, Integer.MAX_VALUE));
    return options;
  }
}
