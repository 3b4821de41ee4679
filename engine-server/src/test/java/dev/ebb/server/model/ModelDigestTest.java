package dev.ebb.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelDigestTest {

  private static final int SAMPLE = 64 << 10;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 100, SAMPLE, SAMPLE + 1, 3 * SAMPLE - 7})
  void eachByteOfASmallFileCounts(int size) throws IOException {
    Path file = folder.resolve("model");
    byte[] content = new byte[size];
    Set<String> digests = new HashSet<>();
    int[] changed =
        IntStream.range(0, 20).map(i -> (int) ((size - 1L) * i / 19)).distinct().toArray();
    for (int at : changed) {
      content[at]++;
      Files.write(file, content);
      content[at]--;
      digests.add(ModelDigest.of(file));
    }
    assertThat(digests).hasSameSizeAs(changed);
  }

  @Test
  void theNumberOfBytesCounts() throws IOException {
    Path file = Files.write(folder.resolve("model"), new byte[SAMPLE]);
    String digest = ModelDigest.of(file);
    Files.write(file, new byte[SAMPLE + 1]);
    assertThat(ModelDigest.of(file)).isNotEqualTo(digest);
  }
}
