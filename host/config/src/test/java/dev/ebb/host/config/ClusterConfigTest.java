package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterConfigTest {

  @TempDir private Path home;

  private ClusterConfig config(String keys) {
    return Configs.of(home, "ebb.cluster { enabled = true, node = a, " + keys + " }")
        .orThrow()
        .cluster();
  }

  @Test
  void valuesHaveTheNextPort() {
    assertThat(config("port = 7000").transferAddress().getPort()).isEqualTo(7_481);
    assertThat(config("transfer-port = 0").transferAddress().getPort()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "port = 0, '0', ebb.cluster.port",
    "transfer-port = 7480, '7480', ebb.cluster.transfer-port",
    "bind = 0.0.0.0, '0.0.0.0', ebb.cluster.bind"
  })
  void addressesThatOtherNodesCannotUseAreRefused(String keys, String value, String key) {
    ClusterConfig config = config(keys);
    assertThatThrownBy(config::transferAddress)
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll(key, value);
  }

  @Test
  void aShortSecretIsRefusedAndNotShown() {
    assertThatThrownBy(() -> config("secret = fifteen-letters"))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("ebb.cluster.secret", "'15'", "16")
        .hasMessageNotContaining("fifteen");
    assertThat(config("secret = sixteen--letters").listen().secret()).hasSize(16);
  }

  @Test
  void clientsKeepAPartOfThePool() {
    assertThat(config("replica-memory = \"25 %\"").mainShare()).isEqualTo(0.65);
    assertThatThrownBy(config("replica-memory = \"95 %\"")::mainShare)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.cluster.replica-memory");
  }
}
