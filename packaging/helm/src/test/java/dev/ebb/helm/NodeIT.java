package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the chart renders for a machine, executed by the release folder that {@code dist} builds.
 */
class NodeIT {

  @TempDir private Path directory;

  @Test
  void engineAndOperatorUseAPodThatKeepsItsValues() throws Exception {
    assumeThat(System.getProperty("os.name"))
        .as("only Linux has these addresses")
        .isEqualTo("Linux");
    assertThat(Chart.ROOT.resolve("dist/target/ebb/lib")).as("build dist first").exists();
    String configuration = "ebb { pool.size = 64 MiB, tiers.disk.size = 300 MiB }\n";
    Chart.Rendered release =
        Chart.render(
            """
            mode: node
            node: { tcp: true }
            pool: { heapMiB: 256 }
            javaOptions: %s
            tls: { secret: certificate }
            auth: { usersSecret: users }
            disk: { enabled: true }
            config: '%s'
            """
                .formatted(Pod.JAVA_OPTIONS, configuration.strip()));
    Certificate certificate = Certificate.in(directory);
    Path users = directory.resolve("users.conf");
    Files.writeString(
        users,
        "ebb.server.users.ann { password-hash = \"%s\", rights = [read, write] }"
            .formatted(hash()));
    Map<String, Map<String, Path>> files =
        Map.of(
            "tls", Map.of("tls.crt", certificate.certificate(), "tls.key", certificate.key()),
            "users", Map.of("users.conf", users));
    try (Pod pod = new Pod("cache-ebb-x7", release, directory.resolve("pod"), "", files)) {
      pod.start("127.77.0.20");
      assertThat(pod.volume("shared-memory")).isNotEmptyDirectory();
      try (Resp engine = client(pod)) {
        assertThat(engine.call("SET", "key", "value")).isEqualTo("+OK");
      }
      // The kubelet writes the new ConfigMap into the volume.
      Path file = pod.volume("config").resolve("ebb.conf");
      Files.writeString(file, Files.readString(file) + "\nebb.eviction.policy = arc\n");
      for (int i = 0; i < 300 && !policy(pod).equals("arc"); i++) {
        Thread.sleep(100);
      }
      assertThat(policy(pod)).as(pod.output()).isEqualTo("arc");

      pod.stop();
      pod.start("127.77.0.21");
      try (Resp engine = client(pod)) {
        assertThat(engine.call("GET", "key")).isEqualTo("value");
      }
      pod.stop();
    }
  }

  private static Resp client(Pod pod) throws IOException {
    Resp client = new Resp(UnixDomainSocketAddress.of(pod.volume("socket").resolve("ebb.sock")));
    assertThat(client.call("AUTH", "ann", "secret")).isEqualTo("+OK");
    return client;
  }

  private static String policy(Pod pod) throws IOException, InterruptedException {
    JsonNode policy = new JsonMapper().readTree(pod.get("/api/v1/policy").body());
    return policy.path("policy").asString();
  }

  private static String hash() throws IOException {
    Process process =
        new ProcessBuilder(Chart.ROOT.resolve("ebb").toString(), "users", "hash")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().write("secret\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }
}
