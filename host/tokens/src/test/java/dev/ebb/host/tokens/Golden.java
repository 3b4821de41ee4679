package dev.ebb.host.tokens;

import dev.ebb.host.testing.SharedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What the field's own implementations give for some inputs; tests without the files skip. */
public final class Golden {

  private Golden() {}

  /** One file. */
  public static JsonNode read(String name) throws IOException {
    return new ObjectMapper().readTree(Files.readString(SharedFiles.file("golden", name)));
  }

  /** An array of any shape, flat. */
  public static double[] doubles(JsonNode array) {
    JsonNode data = array.has("data") ? array.get("data") : array;
    return IntStream.range(0, data.size()).mapToDouble(i -> data.get(i).asDouble()).toArray();
  }

  /** A plain list of integers. */
  public static int[] ints(JsonNode list) {
    return IntStream.range(0, list.size()).map(i -> list.get(i).asInt()).toArray();
  }
}
