package dev.ebb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Installs the package for Debian, and starts the container image as a process. */
class PackagesIT {

  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final String VERSION = System.getProperty("ebb.version", "");

  @TempDir private Path folder;

  @Test
  void thePackageServesAndLeavesNothingButData() throws Exception {
    assumeTrue(Files.exists(Path.of("/usr/bin/dpkg")), "no dpkg");
    assumeTrue(
        run("unshare", "-m", "mount", "-t", "tmpfs", "none", folder.toString()).status == 0,
        "only root may mount");

    Ended ended =
        run(
            "unshare",
            "-m",
            "sh",
            "src/test/sh/install.sh",
            TARGET.resolve("ebb_%s_all.deb".formatted(VERSION)).toString(),
            folder.toString(),
            System.getProperty("java.home"));

    assertThat(ended.status).as(ended.output).isZero();
  }

  @Test
  void theImageServesAsAUserWithoutRights() throws Exception {
    Path image = TARGET.resolve("ebb-%s-image.tar".formatted(VERSION));
    assumeTrue(Files.exists(image), "no image of a container; -Pimage builds it");
    assumeTrue(
        "root".equals(System.getProperty("user.name")), "only root may change the root folder");
    checked("tar", "xf", image.toString(), "-C", folder.toString());
    JsonNode manifest = json("manifest.json").get(0);
    JsonNode configuration = json(manifest.get("Config").asString());
    JsonNode container = configuration.get("config");

    assertThat(container.get("User").asString()).isEqualTo("10001");
    assertThat(container.get("Volumes").propertyNames()).containsExactly("/var/lib/ebb");
    assertThat(container.get("ExposedPorts").propertyNames())
        .containsExactlyInAnyOrder("6380/tcp", "9090/tcp");
    Path root = Files.createDirectory(folder.resolve("root"));
    JsonNode layers = manifest.get("Layers");
    JsonNode digests = configuration.at("/rootfs/diff_ids");
    assertThat(layers.size()).isEqualTo(digests.size());
    for (int i = 0; i < layers.size(); i++) {
      Path layer = folder.resolve(layers.get(i).asString());
      assertThat("sha256:" + digest(layer)).isEqualTo(digests.get(i).asString());
      checked("tar", "xzf", layer.toString(), "-C", root.toString());
    }
    Ended ended =
        run("unshare", "-m", "sh", "src/test/sh/start.sh", root.toString(), text(container));
    assertThat(ended.status).as(ended.output).isZero();
  }

  /** Returns the command of a container. */
  private static String text(JsonNode container) {
    StringBuilder command = new StringBuilder(container.get("Entrypoint").get(0).asString());
    container.get("Cmd").forEach(argument -> command.append(' ').append(argument.asString()));
    return command.toString();
  }

  private JsonNode json(String name) throws IOException {
    return new ObjectMapper().readTree(Files.readString(folder.resolve(name)));
  }

  private static String digest(Path layer) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(layer), 1 << 16)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private record Ended(int status, String output) {}

  private static void checked(String... command) throws Exception {
    Ended ended = run(command);
    assertThat(ended.status).as(ended.output).isZero();
  }

  private static Ended run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }
}
