package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeCommandTest {

  @TempDir private Path home;

  private Run serve(String settings, String... options) {
    Configs.plugins(home);
    String folders =
        "ebb.plugins.folder = \"%s\"\nebb.plugins.run = \"%s\"\n"
            .formatted(home.resolve("plugins"), home.resolve("run"));
    Path file = Configs.file(home, settings + "\n" + folders + "ebb.eviction.policy = none\n");
    String[] all = new String[options.length + 3];
    all[0] = "serve";
    all[1] = "--config";
    all[2] = file.toString();
    System.arraycopy(options, 0, all, 3, options.length);
    return Run.of(all);
  }

  @Test
  void aPortInUseEndsInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Run run = serve("", "--pool-size", "1 MiB", "--port", "" + taken.getLocalPort());
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err().lines())
          .singleElement()
          .asString()
          .startsWith(
              "ebb: cannot listen on '127.0.0.1:" + taken.getLocalPort() + "': Address already")
          .contains("--port", "ebb.server.port");
    }
  }

  @Test
  void aJarThatIsRefusedIsNamed() throws IOException {
    PluginJarBuilder.plugin("bare")
        .policy("bare")
        .withoutManifest()
        .writeTo(Configs.plugins(home), "bare.jar");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Run run = serve("", "--pool-size", "1 MiB", "--port", "" + taken.getLocalPort());
      assertThat(run.err().lines()).hasSize(2);
      assertThat(run.err()).contains("ebb: bare.jar is not loaded: ");
    }
  }

  @Test
  void aPortIsNamedWithItsRange() {
    Run run = serve("", "--port", "abc");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("'abc' is not a port, 0 to 65535");
    assertThat(serve("", "--admin-port", "65536").err()).contains("'65536' is not a port");
  }

  @Test
  void aPoolTooLargeEndsInOneLine() {
    Run run = serve("", "--pool-size", "8000 TiB", "--port", "0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines()).singleElement().asString().contains("ebb.pool.size");
  }

  @Test
  void aWrongKeyEndsInOneLine() {
    Run run = serve("ebb.server.prot = 1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .contains("unknown key 'ebb.server.prot'", "did you mean 'port'?");
  }

  @Test
  void anUnknownPolicyEndsInOneLine() {
    Run run = serve("", "--eviction-policy", "lur");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines()).singleElement().asString().contains("no policy named 'lur'");
  }

  @Test
  void otherMachinesNeedAPassword() {
    Run run = serve("", "--bind", "0.0.0.0", "--pool-size", "1 MiB", "--port", "0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .contains("'0.0.0.0'", "ebb.server.password");
  }

  @Test
  void aWrongSizeIsWrongUsage() {
    Run run = serve("", "--pool-size", "8");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("ebb serve: --pool-size: ebb.pool.size = '8' must be a size with its unit");
  }

  @Test
  void wrongPortsAreWrongUsage() {
    Run run = serve("", "--port", "65536");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("'--port': '65536' is not a port, 0 to 65535");
    assertThat(serve("", "--admin-port", "-1").err()).contains("'-1' is not a port");
  }

  @Test
  void anAdminPortInUseEndsInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Run run =
          serve(
              "", "--pool-size", "1 MiB", "--port", "0", "--admin-port", "" + taken.getLocalPort());
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err().lines())
          .singleElement()
          .asString()
          .startsWith("ebb: cannot listen on '127.0.0.1:" + taken.getLocalPort() + "'");
    }
  }

  @Test
  void operatorsOfOtherMachinesNeedAToken() {
    Run run = serve("", "--admin-bind", "0.0.0.0", "--pool-size", "1 MiB", "--port", "0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines()).singleElement().asString().contains("ebb.admin.token");
  }

  @Test
  void predictionNeedsAPolicyThatPredicts() {
    Run run = serve("", "--enable-lifetime-prediction", "--eviction-policy", "lru");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("'--eviction-policy': 'lru' does not predict lifetimes");

    Run missing = serve("", "--enable-lifetime-prediction");
    assertThat(missing.err())
        .contains("--enable-lifetime-prediction", "no policy named 'predictive'");

    assertThat(Run.of("serve", "--help").out()).contains("predictive", "ebb.server.chains");
  }
}
