package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code ebb serve} in a process of its own, which plugins and files try to end or to keep. */
class ServeProcessTest {

  private static final String NEVER_ENDS =
      """
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        while (true) {
          java.util.concurrent.locks.LockSupport.park();
        }
      }));
      """;

  /** Changes the key of the second entry outside of the self-test, past the guard. */
  private static final String CHANGES_RECORDS =
      """
      package acme;

      import dev.ebb.spi.*;

      public final class Mine implements BlockPolicyProvider {
        public String name() { return "mine"; }

        public BlockPolicy<?> create(PolicyContext context) {
          boolean tested = context.partition().equals("self-test");
          return new RankedBlockPolicy() {
            protected double rank(Entry entry) {
              if (!tested && size() == 1) {
                try {
                  var key = entry.getClass().getDeclaredField("keyLow");
                  java.lang.reflect.AccessibleObject.class
                      .getMethod("setAccessible", boolean.class)
                      .invoke(key, true);
                  key.setLong(entry, 1);
                } catch (ReflectiveOperationException refused) {
                  throw new IllegalStateException(refused);
                }
              }
              return entry.accesses();
            }
          };
        }
      }
      """;

  @TempDir private Path home;

  @Test
  void aPluginThatInterruptsAllThreadsEndsNothing() throws Exception {
    Path go = home.resolve("go");
    try (EbbProcess ebb = serve(interruptsAll(go))) {
      ebb.awaitOutput("metrics at");
      Files.createFile(go);
      ebb.awaitOutput("all are interrupted");
      config("ebb.sever.port = 1");
      ebb.awaitOutput("unknown key 'ebb.sever'");

      assertThat(ebb.isRunning()).isTrue();
      assertThat(answers(port(ebb, "RESP on"), "PING\r\n")).isEqualTo("+PONG");
      assertThat(
              answers(
                  port(ebb, "metrics at"), "GET /api/v1/stats HTTP/1.0\r\nHost: localhost\r\n\r\n"))
          .endsWith("200 OK");
      assertThat(ebb.output()).doesNotContain("Exception");

      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);
      assertThat(ebb.output()).doesNotContain("shutdown hook");
    }
  }

  @Test
  void aStateFolderOfAnotherServerIsRefused() throws Exception {
    Path state = home.resolve("state");
    String setting = "ebb.state.folder = \"" + state + "\"";
    Path second = Files.createDirectory(home.resolve("second"));
    Path config =
        Configs.file(
            second,
            """
            ebb.plugins { folder = "%s", run = "%s/run" }
            ebb { pool.size = 1 MiB, server.port = 0, admin.port = 0, eviction.policy = none }
            """
                    .formatted(Configs.plugins(second), second)
                + setting);
    String[] serve = {"serve", "--config", config.toString()};
    try (RunningEbb first = RunningEbb.start(home, setting)) {
      for (int attempt = 0; attempt < 2; attempt++) {
        Run sameProcess = Run.of(serve);
        assertThat(sameProcess.exitCode()).isEqualTo(1);
        assertThat(sameProcess.err()).contains("ebb.state.folder = '" + state + "'");
        try (EbbProcess other = EbbProcess.start(second, Map.of(), serve)) {
          assertThat(other.exitCode()).as(other.output()).isEqualTo(1);
          assertThat(other.output())
              .contains(
                  "ebb.state.folder = '" + state + "'",
                  "process '" + ProcessHandle.current().pid() + "'",
                  "another folder");
        }
      }
      assertThat(first.run("policy", "show").exitCode()).isZero();
      Run check = Run.of("config", "check", "--config", config.toString());
      assertThat(check.exitCode()).as(check.out() + check.err()).isZero();
    }
    try (EbbProcess next = EbbProcess.start(second, Map.of(), serve)) {
      next.awaitOutput("ebb: serving RESP");
    }
  }

  @Test
  void aShutdownHookThatNeverEndsIsNotWaitedFor() throws Exception {
    try (EbbProcess ebb = serve(NEVER_ENDS)) {
      ebb.awaitOutput("ebb: serving RESP");
      ebb.terminate();

      assertThat(ebb.exitCode()).isEqualTo(143);
      assertThat(ebb.output())
          .contains(
              "ebb: a shutdown hook of a plugin did not end within 5 s; the process ends without"
                  + " it");
    }
  }

  @Test
  void aPolicyThatChangesTheRecordsOfTheCacheEndsTheProcess() throws Exception {
    PluginJarBuilder.plugin("acme")
        .provider("acme.Mine", CHANGES_RECORDS)
        .writeTo(Configs.plugins(home), "acme.jar");
    try (EbbProcess ebb =
        EbbProcess.start(home, Map.of(), "serve", "--config", config("").toString())) {
      ebb.awaitOutput("metrics at");
      assertThat(answers(port(ebb, "RESP on"), "SET key value\r\n")).isEqualTo("+OK");
      assertThat(answers(port(ebb, "RESP on"), "SET damage value\r\n")).isEqualTo("+OK");

      ebb.awaitOutput("the cache is damaged");
      assertThat(
              answers(
                  port(ebb, "metrics at"), "GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n"))
          .contains(" 503 ");
      assertThat(ebb.exitCode()).isEqualTo(4);
      assertThat(ebb.output())
          .contains("ebb: the records of the cache are damaged", "status 4", "policy 'mine'");
    }
  }

  @Test
  void aHeapThatIsTooSmallForShadowsIsReportedBeforeItIsFull() throws Exception {
    PluginJarBuilder.plugin("acme").policy("mine", "").writeTo(Configs.plugins(home), "acme.jar");
    String file = config("ebb.shadow.policies = \"mine@15x,mine@16x\"").toString();
    try (EbbProcess ebb = EbbProcess.start(home, Map.of(), "serve", "--config", file)) {
      ebb.awaitOutput("metrics at");
      assertThat(ebb.output()).contains("ebb.shadow.policies may take up to", "-Xmx1g");
    }
    try (EbbProcess check = EbbProcess.start(home, Map.of(), "config", "check", "--config", file)) {
      assertThat(check.exitCode()).isZero();
      assertThat(check.output())
          .containsPattern("warning +shadow +ebb.shadow.policies may take up to");
    }
  }

  @Test
  void eachLineOfTheLogHasItsTime() throws Exception {
    Path plugins = Configs.plugins(home);
    PluginJarBuilder.plugin("acme").policy("mine", "").writeTo(plugins, "acme.jar");
    Files.writeString(plugins.resolve("broken.jar"), "this is no JAR");
    Path file = config("");
    try (EbbProcess ebb = EbbProcess.start(home, Map.of(), "serve", "--config", file.toString())) {
      ebb.awaitOutput("metrics at");
      config("ebb.sever.port = 1");
      ebb.awaitOutput("unknown key 'ebb.sever'");
      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);

      String time = "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ";
      assertThat(ebb.output().lines())
          .filteredOn(line -> !line.isBlank() && !line.matches("(ebb|WARNING): .*"))
          .allMatch(line -> line.matches(time + ".*"))
          .anyMatch(line -> line.matches(time + "ebb: broken.jar is not loaded.*"))
          .anyMatch(line -> line.matches(time + "ERROR RuntimeConfig: .*unknown key 'ebb.sever'.*"))
          .anyMatch(line -> line.matches(time + "ebb: stopping.*SIGTERM"));
    }
  }

  @Test
  void theLogCanBeJson() throws Exception {
    Path plugins = Configs.plugins(home);
    PluginJarBuilder.plugin("acme").policy("mine", "").writeTo(plugins, "acme.jar");
    Files.writeString(plugins.resolve("broken.jar"), "this is no JAR");
    Path file = config("ebb.log.format = json");
    try (EbbProcess ebb = EbbProcess.start(home, Map.of(), "serve", "--config", file.toString())) {
      ebb.awaitOutput("metrics at");
      assertThat(refusedChanges(port(ebb, "metrics at"), 3)).isEqualTo(3);
      ebb.awaitOutput("audit");
      config("ebb.sever.port = 1");
      ebb.awaitOutput("unknown key 'ebb.sever'");
      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);

      // Standard output has the addresses, for people; the JVM has warnings of its own.
      List<JsonNode> log =
          ebb.output()
              .lines()
              .filter(line -> !line.isBlank() && !line.matches("(ebb|WARNING): .*"))
              .map(line -> new ObjectMapper().readTree(line))
              .toList();
      assertThat(log)
          .allSatisfy(line -> {
            assertThat(Instant.parse(line.get("time").asString())).isNotNull();
            assertThat(line.get("level").asString()).isIn("INFO", "WARN", "ERROR");
            assertThat(line.get("logger").asString()).isNotEmpty();
          })
          .anyMatch(line -> line.get("message").asString().startsWith("broken.jar is not loaded"))
          .anyMatch(line -> line.get("logger").asString().equals("audit"));
    }
  }

  @Test
  void neitherASystemdThatIsGoneNorAFileThatIsNestedTooDeepEndsItBeforeASignalDoes()
      throws Exception {
    PluginJarBuilder.plugin("acme").policy("mine", "").writeTo(Configs.plugins(home), "acme.jar");
    String socket = home.resolve("missing").toString();
    try (EbbProcess ebb =
        EbbProcess.start(
            home, Map.of("NOTIFY_SOCKET", socket), "serve", "--config", config("").toString())) {
      // Nobody listens there.
      ebb.awaitOutput("ebb: cannot report to systemd: 'READY=1' not sent");
      assertThat(answers(port(ebb, "RESP on"), "PING\r\n")).isEqualTo("+PONG");

      config("a:{".repeat(50_000));
      ebb.awaitOutput("ebb.conf: it is nested too deep");
      config("ebb.sever.port = 1");
      ebb.awaitOutput("unknown key 'ebb.sever'");
      assertThat(ebb.output()).doesNotContain("StackOverflowError");

      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);
      assertThat(ebb.output().lines())
          .filteredOn(line -> line.contains(" ebb: stopping"))
          .singleElement()
          .asString()
          .contains("SIGTERM");
    }
  }

  @Test
  void aLogThatNobodyReadsStopsNothing() throws Exception {
    PluginJarBuilder.plugin("acme").policy("mine", "").writeTo(Configs.plugins(home), "acme.jar");
    try (EbbProcess ebb =
        EbbProcess.startUnread(home, "serve", "--config", config("").toString())) {
      ebb.awaitOutput("metrics at");
      int admin = port(ebb, "metrics at");
      // Each call is a line of the log. A pipe has room for 64 KiB, the log for another MiB.
      for (int i = 0; i < 16; i++) {
        assertThat(refusedChanges(admin, 1_000)).isEqualTo(1_000);
      }
      assertThat(answers(port(ebb, "RESP on"), "PING\r\n")).isEqualTo("+PONG");

      ebb.terminate();
      assertThat(ebb.exitCode()).isEqualTo(143);
    }
  }

  /** Interrupts all threads when a file is there: not before the process serves. */
  private static String interruptsAll(Path go) {
    return """
    Thread.ofPlatform().daemon().start(() -> {
      while (!java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) {
        java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
      }
      for (Thread each : Thread.getAllStackTraces().keySet()) {
        each.interrupt();
      }
      System.err.println("all are interrupted");
    });
    """
        .formatted(go);
  }

  /** Sends changes on one connection; returns how many were refused. */
  private static long refusedChanges(int port, int count) throws IOException {
    String change =
        "PUT /api/v1/policy HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    String body = "Content-Length: 2\r\n\r\n{}";
    String all = (change + body).repeat(count - 1) + change + "Connection: close\r\n" + body;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(all.getBytes(StandardCharsets.US_ASCII));
      String replies =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return replies.lines().filter(line -> line.contains("HTTP/1.1 400")).count();
    }
  }

  private static int port(EbbProcess ebb, String label) {
    Matcher matcher = Pattern.compile(label + " \\S*:(\\d+)").matcher(ebb.output());
    assertThat(matcher.find()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** The first line of the answer. */
  private static String answers(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      return String.valueOf(in.readLine());
    }
  }

  private EbbProcess serve(String inCreate) throws IOException {
    PluginJarBuilder.plugin("acme")
        .policy("mine", inCreate)
        .writeTo(Configs.plugins(home), "acme.jar");
    return EbbProcess.start(home, Map.of(), "serve", "--config", config("").toString());
  }

  private Path config(String settings) {
    String fixed =
        """
        ebb.plugins { folder = "%s", run = "%s", rescan = 1 s }
        ebb.pool.size = 2 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.eviction.policy = mine
        """
            .formatted(home.resolve("plugins"), home.resolve("run"));
    return Configs.file(home, fixed + settings);
  }
}
