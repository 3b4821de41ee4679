package dev.ebb.plugin.predictive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;

/** The recorded traces, where they are to be had; a test that asks is skipped elsewhere. */
final class Traces {

  private Traces() {}

  static List<SimulatedRequest> read(String name) {
    Path file = folder().resolve(name + "_trace.jsonl.gz");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return lines.lines().map(Traces::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path folder() {
    String named = System.getProperty("ebb.shared", System.getenv("EBB_SHARED"));
    Path found = named == null ? null : Path.of(named, "traces");
    for (Path up = Path.of("").toAbsolutePath(); found == null && up != null; up = up.getParent()) {
      Path candidate = up.resolve("shared/traces");
      found = Files.isDirectory(candidate) ? candidate : null;
    }
    Assumptions.assumeTrue(
        found != null && Files.isDirectory(found),
        "no recorded traces: set the system property ebb.shared to the folder that holds traces/");
    return Objects.requireNonNull(found);
  }

  private static SimulatedRequest parse(String line) {
    SimulatedRequest request = new SimulatedRequest();
    request.nanos = number(line, "\"timestamp\":") * 1_000_000;
    request.outputTokens = number(line, "\"output_length\":");
    int start = line.indexOf('[') + 1;
    String[] ids = line.substring(start, line.indexOf(']', start)).split(",", -1);
    request.chain = new long[ids.length];
    for (int i = 0; i < ids.length; i++) {
      request.chain[i] = mix(Long.parseLong(ids[i].trim()));
    }
    return request;
  }

  private static long number(String line, String key) {
    int start = line.indexOf(key) + key.length();
    int end = start;
    while (line.charAt(end) != ',' && line.charAt(end) != '}') {
      end++;
    }
    return Long.parseLong(line.substring(start, end).trim());
  }

  /** Well-mixed bits that name an id. */
  static long mix(long id) {
    long bits = (id + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
    return (bits ^ (bits >>> 31)) * 0x94D049BB133111EBL;
  }
}
