package dev.ebb.plugin.snapkv;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.spi.sim.Reference;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What the field's own implementations give for some inputs; tests without the files skip. */
final class Golden {

  private Golden() {}

  static JsonNode read(String name) throws IOException {
    Path file =
        Reference.traces()
            .map(traces -> traces.resolveSibling("golden").resolve(name))
            .orElse(Path.of(name));
    assumeTrue(Files.isRegularFile(file), () -> "no shared/golden/" + name + " here");
    return new ObjectMapper().readTree(Files.readString(file));
  }

  /** A file that is kept with the tests. */
  static JsonNode kept(String name) throws IOException {
    try (InputStream file = requireNonNull(Golden.class.getResourceAsStream(name))) {
      return new ObjectMapper().readTree(file);
    }
  }

  static double[] doubles(JsonNode array) {
    JsonNode data = array.get("data");
    return IntStream.range(0, data.size()).mapToDouble(i -> data.get(i).asDouble()).toArray();
  }

  static int[] ints(JsonNode list) {
    return IntStream.range(0, list.size()).map(i -> list.get(i).asInt()).toArray();
  }
}
