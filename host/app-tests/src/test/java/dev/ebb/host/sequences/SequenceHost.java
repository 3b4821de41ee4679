package dev.ebb.host.sequences;

import dev.ebb.host.config.Configs;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A small host for engines in other processes, and the model that they have. */
final class SequenceHost {

  static final int BLOCK_TOKENS = 4;

  /** The bytes of a block of the model: keys and values of two layers and two heads. */
  static final int BLOCK_BYTES = 2 * 2 * 2 * BLOCK_TOKENS * Float.BYTES;

  private static final String SETTINGS =
      """
      ebb.pool.size = 2 MiB
      ebb.server.port = 0
      ebb.admin.port = 0
      ebb.server.unix-socket = "%1$s/ebb.sock"
      ebb.server.shared-memory = "%1$s"
      ebb.server.sequences.memory = %2$d B
      """;

  private SequenceHost() {}

  /** Opens a host with memory for so many blocks. Its plugins must be in the folder already. */
  static Host open(Path home, int blocks, String settings) throws IOException {
    Path folder = Files.createTempDirectory("ebb-seq");
    folder.toFile().deleteOnExit();
    String text = SETTINGS.formatted(folder, blocks * BLOCK_BYTES) + settings;
    Host host = Host.open(Configs.of(home, text));
    host.verify();
    return host;
  }

  /** Returns the words that state the model, and more. */
  static Object[] model(int blockTokens, Object... more) {
    List<Object> words = new ArrayList<>(List.of("MODEL", "m", "LAYERS", 2, "KVHEADS", 2));
    words.addAll(List.of("HEADDIM", 1, "DTYPE", "fp32", "BLOCKTOKENS", blockTokens));
    words.addAll(List.of(more));
    return words.toArray();
  }
}
