package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes that share a secret. */
class EncryptedNodesTest {

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nodesWithASecretReadEachOthersValues(boolean tls) {
    int seed = FreePort.any();
    String settings = "secret = \"a secret of 24 characters\", tls.values = " + tls;
    byte[] value = new byte[3 << 20];
    new Random(1).nextBytes(value);
    try (TestNode a = TestNode.join(home, "a", "r1", seed, seed, 16 << 20, settings);
        TestNode b = TestNode.join(home, "b", "r2", seed, FreePort.any(), 16 << 20, settings)) {
      Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
      a.set("key", value);
      Awaiting.until(() -> b.get("key") != null);
      assertThat(b.get("key")).isEqualTo(value);
    }
  }
}
