package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the container image and the service unit do, as far as it can be done without them. */
class PackagingIT {

  private static final Pattern COPIED =
      Pattern.compile("^COPY (?!--from)(\\S+) \\S+$", Pattern.MULTILINE);
  private static final Pattern DASHBOARD = Pattern.compile("http://[^:/]+:(\\d+)");

  @TempDir private static Path runtime;
  @TempDir private Path directory;
  private Path configuration;

  /** Makes the container's Java, as its image does. */
  @BeforeAll
  static void linkRuntime() throws IOException {
    assertThat(dockerfile()).contains("\nRUN jlink @/tmp/jlink.args --output /opt/jre\n");
    Shell.run(
        runtime,
        System.getProperty("java.home") + "/bin/jlink",
        "@" + Ebb.ROOT.resolve("packaging/jlink.args"),
        "--output",
        "jre");
  }

  private static String dockerfile() throws IOException {
    return Files.readString(Ebb.ROOT.resolve("packaging/Dockerfile"));
  }

  /** The container's configuration, with the folders of this installation. */
  @BeforeEach
  void writeConfiguration() throws IOException {
    String text = Files.readString(Ebb.ROOT.resolve("packaging/container.conf"));
    assertThat(text).contains("/opt/ebb/plugins", "/var/lib/ebb/run");
    configuration = directory.resolve("container.conf");
    Files.writeString(
        configuration,
        text.replace("/opt/ebb/plugins", "\"" + Ebb.ROOT.resolve("plugins") + "\"")
                .replace("/var/lib/ebb/run", "\"" + directory.resolve("run") + "\"")
            + "\nebb.server.port = 0\nebb.admin.port = 0\n");
  }

  @Test
  void theContainerServesWithItsCredentials() throws Exception {
    Process process =
        serve(
            Map.of(
                "EBB_PASSWORD", "secret", "EBB_ADMIN_TOKEN", "token", "EBB_POOL_SIZE", "16 MiB"));
    try (BufferedReader out = process.inputReader();
        HttpClient client = HttpClient.newHttpClient()) {
      String first = out.readLine();
      assertThat(first).contains("pool 16 MiB");
      Matcher dashboard = DASHBOARD.matcher(first + " " + out.readLine());
      assertThat(dashboard.find()).as(first).isTrue();
      String url = "http://127.0.0.1:" + dashboard.group(1);

      assertThat(status(client, url + "/health/ready", "")).isEqualTo(200);
      assertThat(status(client, url + "/api/v1/stats", "")).isEqualTo(401);
      assertThat(status(client, url + "/api/v1/stats", "token")).isEqualTo(200);
    } finally {
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theContainerDoesNotStartOpen() throws Exception {
    Process process = serve(Map.of("EBB_ADMIN_TOKEN", "token"));

    String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isNotZero();
    assertThat(said).contains("EBB_PASSWORD").doesNotContain("\tat ");
  }

  @Test
  void aServerThatRunsOutOfMemoryIsStartedAgain() throws Exception {
    Process process =
        serve(
            Map.of(
                "EBB_PASSWORD",
                "secret",
                "EBB_ADMIN_TOKEN",
                "token",
                "EBB_POOL_SIZE",
                "16 MiB",
                "EBB_JAVA_OPTS",
                Ebb.javaOptions("-Xmx5m")));

    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isEqualTo(3);
    assertThat(said).contains("OutOfMemoryError");
    assertThat(Files.readString(Ebb.ROOT.resolve("packaging/ebb.service")))
        .contains("\nRestart=on-failure\n", "\nSuccessExitStatus=143\n");
  }

  @Test
  void theImageIsMadeFromTheArchive() throws IOException {
    Path home = UnpackedArchive.in(directory).home();
    List<String> sources =
        COPIED.matcher(dockerfile()).results().map(copy -> copy.group(1)).toList();

    assertThat(sources).contains(".", "packaging/container.conf");
    assertThat(sources).allSatisfy(source -> assertThat(home.resolve(source)).exists());
    assertThat(home.resolve("packaging/Dockerfile")).exists();
    assertThat(home.resolve("packaging/helm/ebb/Chart.yaml")).exists();
    assertThat(home.resolve("packaging/prometheus/rules.yaml")).exists();
  }

  @Test
  void systemdTakesTheUnit() throws Exception {
    Path tool = Path.of("/usr/bin/systemd-analyze");
    assumeThat(tool).as("no systemd here to look at the unit").exists();
    String unit = Files.readString(Ebb.ROOT.resolve("packaging/ebb.service"));
    Path installed = directory.resolve("ebb.service");
    Files.writeString(installed, unit.replace("/opt/ebb/ebb", Ebb.launcher()));

    Process process =
        new ProcessBuilder(tool.toString(), "verify", installed.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).doesNotContain("ebb.service:");
  }

  private Process serve(Map<String, String> environment) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Ebb.launcher(), "serve", "--config", configuration.toString())
            .directory(directory.toFile());
    Ebb.prepare(builder, "");
    builder.environment().remove("EBB_PASSWORD");
    builder.environment().put("EBB_JAVA_HOME", runtime.resolve("jre").toString());
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static int status(HttpClient client, String address, String token)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address))
            .header("Authorization", "Bearer " + token)
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }
}
