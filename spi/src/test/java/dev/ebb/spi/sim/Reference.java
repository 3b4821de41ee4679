package dev.ebb.spi.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Recorded traces and what independent simulators make of them. The files are not part of the
 * sources; tests that need them skip without.
 *
 * @param policy the simulator's name of the policy
 * @param blocks the capacity
 * @param metric what {@code value} is
 * @param trace the trace's file
 * @param value number of misses for {@code block_misses}, otherwise a ratio
 */
public record Reference(String policy, long blocks, String metric, String trace, double value) {

  private static final Pattern RESULT = Pattern.compile("\\{\"policy\":[^}]*}");
  private static final Map<String, Trace> READ = new ConcurrentHashMap<>();

  /** The folder with the traces, from a property, the environment, or a folder above. */
  public static Optional<Path> traces() {
    Path above = Path.of("").toAbsolutePath();
    return Stream.concat(
            Stream.of(System.getProperty("ebb.shared"), System.getenv("EBB_SHARED"))
                .filter(shared -> shared != null && !shared.isBlank())
                .map(Path::of),
            Stream.iterate(above, folder -> folder != null, Path::getParent)
                .map(folder -> folder.resolve("shared")))
        .map(shared -> shared.resolve("traces"))
        .filter(folder -> Files.exists(folder.resolve("reference.json")))
        .findFirst();
  }

  /** The recorded results of one policy; skips the calling test where there are none. */
  public static List<Reference> of(String policy, String metric) throws IOException {
    List<Reference> results = new ArrayList<>();
    Matcher matcher = RESULT.matcher(Files.readString(recorded("reference.json")));
    for (MatchResult match : matcher.results().toList()) {
      String result = match.group();
      String value = field(result, metric);
      if (field(result, "policy").equals(policy) && !value.isEmpty()) {
        results.add(
            new Reference(
                policy,
                Long.parseLong(field(result, "cache_blocks")),
                metric,
                field(result, "trace"),
                Double.parseDouble(value)));
      }
    }
    return results;
  }

  /** The trace this result belongs to; read once. */
  public Trace requests() throws IOException {
    return trace(trace);
  }

  /** A recorded trace, read once; skips the calling test where there is none. */
  public static Trace trace(String file) throws IOException {
    Trace read = READ.get(file);
    if (read == null) {
      read = Trace.read(recorded(file));
      READ.put(file, read);
    }
    return read;
  }

  private static Path recorded(String file) {
    Optional<Path> folder = traces();
    Assumptions.assumeTrue(
        folder.isPresent(), "no shared/traces here: set EBB_SHARED to the folder that has it");
    return folder.orElseThrow().resolve(file);
  }

  private static String field(String object, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"?([^,\"}]*)").matcher(object);
    return matcher.find() ? matcher.group(1) : "";
  }
}
