package dev.ebb.host.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.infinispan.NodeCodec.NodeProcess;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodeCodecTest {

  private static final NodeProcess NODE =
      new NodeProcess(
          new UUID(1, 2),
          new Node(
              "a",
              7,
              "rack",
              "zone",
              "host",
              1,
              "r:2",
              "a:3",
              NodeState.DRAINING,
              4,
              5,
              6,
              7,
              8.5,
              9,
              10,
              "settings"));

  @Test
  void readsWhatItWrites() {
    assertThat(NodeCodec.decode(NodeCodec.encode(NODE))).isEqualTo(NODE);
  }

  @Test
  void ignoresFieldsOfALaterRelease() {
    byte[] bytes = NodeCodec.encode(NODE);

    assertThat(NodeCodec.decode(Arrays.copyOf(bytes, bytes.length + 11))).isEqualTo(NODE);
  }

  @Test
  void refusesAnotherFormatAndTruncatedRecords() {
    byte[] bytes = NodeCodec.encode(NODE);
    for (int length = 0; length < bytes.length; length++) {
      byte[] truncated = Arrays.copyOf(bytes, length);
      assertThatIllegalArgumentException().isThrownBy(() -> NodeCodec.decode(truncated));
    }
    bytes[0]++;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NodeCodec.decode(bytes))
        .withMessageContaining("format '3'");
  }
}
