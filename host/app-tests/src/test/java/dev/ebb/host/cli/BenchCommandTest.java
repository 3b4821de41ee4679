package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.resp.RunningServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BenchCommandTest {

  private static String[] against(int port, String... more) {
    String[] all = new String[more.length + 7];
    String[] first = {"bench", "--port", "" + port, "--warm-up", "0", "--keys", "20"};
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return all;
  }

  @Test
  void theReportSaysWhatWasMeasured() {
    try (RunningServer server = RunningServer.of(16 << 20)) {
      long pid = ProcessHandle.current().pid();
      Run run =
          Run.of(
              against(
                  server.port(),
                  "--fill",
                  "--verify",
                  "--requests",
                  "500",
                  "--server-pid",
                  "" + pid));
      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .contains("requests/s", "GB/s", "hit ratio", "p99", "server CPU", "client CPU");
    }
  }

  @Test
  void jsonHasTheSameNumbers() {
    try (RunningServer server = RunningServer.of(16 << 20)) {
      Run run = Run.of(against(server.port(), "--fill", "--requests", "500", "--json"));
      JsonNode json = JsonMapper.shared().readTree(run.out());
      assertThat(json.get("requests").asLong()).isGreaterThanOrEqualTo(500);
      assertThat(json.get("hitRatio").asDouble()).isEqualTo(1);
      assertThat(json.get("latencyMillis").get("p99").asDouble()).isPositive();
      assertThat(json.get("serverCpuSeconds").isNull()).isTrue();
    }
  }

  @Test
  void noServerIsReportedInOneLine() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Run run = Run.of(against(port));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("ebb: cannot connect to '127.0.0.1:" + port + "'");
  }

  @Test
  void aTraceThatIsNotThereIsReportedInOneLine() {
    Run run = Run.of("bench", "--trace", "none.jsonl");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines()).singleElement().asString().contains("'none.jsonl'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port|0|'0' must be 1 to 65535",
        "--connections|0|'0' must be 1 to 10000",
        "--pipeline|-1|'-1' must be 1 to 10000",
        "--get-ratio|1.5|'1.5' must be 0 to 1",
        "--command|put|'put' is not one of get, set, mixed",
        "--value-size|600 MiB|--value-size: '600 MiB' must be a size",
        "--duration|0|'0' must be a duration from 1 ms to 1000000 s",
        "--duration|15x|'15x' must be a duration",
        "--skew|-1|--skew: '-1.0' must be at least 0",
        "--keys|0|'0' must be 1 to 2147483647",
      })
  void aWrongValueIsWrongUsage(String option, String value, String message) {
    Run run = Run.of("bench", option, value);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }
}
