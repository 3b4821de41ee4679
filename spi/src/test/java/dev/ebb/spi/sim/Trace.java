package dev.ebb.spi.sim;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPInputStream;

/**
 * Requests over dense block numbers.
 *
 * @param requests in order of arrival; a block number always has the same predecessor
 * @param distinct how many numbers there are; all lie in [0, distinct)
 */
public record Trace(List<SimRequest> requests, int distinct) {

  private static final String IDS = "\"hash_ids\": [";

  /**
   * Reads a gzipped file of JSON lines: {@code timestamp}, {@code output_length}, {@code hash_ids}.
   */
  public static Trace read(Path file) throws IOException {
    List<SimRequest> requests = new ArrayList<>();
    Map<String, Integer> dense = new HashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int from = line.indexOf(IDS) + IDS.length();
        String[] ids = line.substring(from, line.indexOf(']', from)).split(", ", -1);
        SimRequest request = new SimRequest(new int[ids.length]);
        request.nanos = number(line, "\"timestamp\": ") * 1_000_000;
        request.outputTokens = number(line, "\"output_length\": ");
        for (int i = 0; i < ids.length; i++) {
          request.ids[i] = dense.computeIfAbsent(ids[i], id -> dense.size());
        }
        requests.add(request);
      }
    }
    return new Trace(requests, dense.size());
  }

  /**
   * Random walks down a tree whose upper parts are walked more often, as prompts share prefixes.
   *
   * @param count how many requests
   * @param nodes how many tree nodes
   */
  public static Trace random(RandomGenerator random, int count, int nodes) {
    int[] parent = new int[nodes];
    parent[0] = -1;
    for (int id = 1; id < nodes; id++) {
      parent[id] = random.nextInt(4) == 0 ? -1 : random.nextInt(id);
    }
    List<SimRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int depth = 0;
      int leaf = Math.min(random.nextInt(nodes), random.nextInt(nodes));
      for (int id = leaf; id >= 0; id = parent[id]) {
        depth++;
      }
      int[] request = new int[depth];
      for (int id = leaf; id >= 0; id = parent[id]) {
        request[--depth] = id;
      }
      requests.add(new SimRequest(request));
    }
    return new Trace(requests, nodes);
  }

  /** How many block numbers all requests have together. */
  public long references() {
    return requests.stream().mapToLong(request -> request.ids.length).sum();
  }

  private static long number(String line, String key) {
    int from = line.indexOf(key) + key.length();
    int to = from;
    while (Character.isDigit(line.charAt(to))) {
      to++;
    }
    return Long.parseLong(line, from, to, 10);
  }
}
