package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tls.TlsFiles;
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
  void otherNodesMustKnowThePort() {
    refuses("port = 0", "ebb.cluster.port = '0' must be a whole number from 1 to 65535");
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
  void certificatesNeedTheirKeyAndAuthorities() {
    ClusterConfig config = config("tls { certificate = a.crt, key = a.key, trust = ca.crt }");
    assertThat(config.tls())
        .isEqualTo(
            new TlsFiles(home.resolve("a.crt"), home.resolve("a.key"), home.resolve("ca.crt")));
    assertThat(config.tlsForValues()).isTrue();
    refuses("tls { certificate = a.crt, key = a.key }", "ebb.cluster.tls.trust");
    refuses("tls { certificate = a.crt, trust = ca.crt }", "ebb.cluster.tls.key");
    refuses("tls { trust = ca.crt }", "ebb.cluster.tls.certificate");
    refuses("tls = false", "ebb.cluster.tls");
  }

  private void refuses(String keys, String key) {
    assertThatThrownBy(() -> config(keys)).isInstanceOf(UserError.class).hasMessageContaining(key);
  }

  @Test
  void nodesThatOthersReachAreProtected() {
    String certificates = "bind = 127.0.0.2, tls { certificate = a, key = b, trust = c }";
    assertThat(config(certificates).isProtected()).isTrue();
    assertThat(config("secret = sixteen--letters").isProtected()).isTrue();
    assertThat(config("node = a").isProtected()).isFalse();
    String open = "bind = 192.0.2.1";
    assertThatThrownBy(config(open)::memberAddress)
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'192.0.2.1'", "ebb.cluster.secret");
    assertThat(config(open + ", tls { certificate = a, key = b, trust = c }").memberAddress())
        .hasToString("/192.0.2.1:7480");
    refuses("tls { certificate = a, key = b, trust = c, values = false }", "ebb.cluster.secret");
    assertThat(
            config(
                    "secret = sixteen--letters, tls { certificate = a, key = b, trust = c, values = false }")
                .tlsForValues())
        .isFalse();
  }

  @Test
  void clientsKeepAPartOfThePool() {
    assertThat(config("replica-memory = \"25 %\"").mainShare()).isEqualTo(0.65);
    assertThatThrownBy(config("replica-memory = \"95 %\"")::mainShare)
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.cluster.replica-memory");
  }
}
