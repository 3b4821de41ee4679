package dev.ebb.host.cluster.directory;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.OptionalJars;
import org.junit.jupiter.api.Test;

class JoinedClusterTest {

  @Test
  void namesTheFolderThatIsMissing() {
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(JoinedCluster::provider)
        .withMessageContainingAll(
            "ebb.cluster.enabled",
            OptionalJars.folder(JoinedCluster.FOLDER).toString(),
            "unpack the archive");
  }
}
