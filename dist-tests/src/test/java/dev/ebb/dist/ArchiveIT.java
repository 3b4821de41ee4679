package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The archive, unpacked in an empty folder, runs with a JDK and nothing else. */
class ArchiveIT {

  private static final Pattern SERVING = Pattern.compile("serving RESP on 127\\.0\\.0\\.1:(\\d+)");

  @TempDir private static Path directory = Path.of("");
  private static Path home = Path.of("");
  private static UnpackedArchive archive = new UnpackedArchive(home);

  @BeforeAll
  static void unpack() throws IOException {
    archive = UnpackedArchive.in(directory);
    home = archive.home();
  }

  @Test
  void servesWithoutABuildOrMaven() throws Exception {
    ProcessBuilder builder = ebb("serve");
    Files.writeString(
        home.resolve("ebb.conf"),
        "ebb { pool.size = 16 MiB, server.port = 0, admin.port = 0, eviction.policy = sieve }\n");
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      Matcher serving = SERVING.matcher(String.valueOf(first));
      assertThat(serving.find()).as(first).isTrue();
      assertThat(first).endsWith("policy sieve");
      try (Socket client =
          new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(serving.group(1)))) {
        client.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(client.getInputStream().readNBytes(7), StandardCharsets.US_ASCII))
            .isEqualTo("+PONG\r\n");
      }
    } finally {
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void hasAllPluginsAndWhatTheirAuthorsNeed() {
    String listed = run(ebb("plugins", "list"));
    assertThat(listed.lines().filter(line -> line.contains(" loaded ")).count()).isEqualTo(7);

    ProcessBuilder build = new ProcessBuilder("sh", "examples/build.sh", "two-q");
    build.environment().put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    assertThat(run(archive.bare(build))).contains("built ");
    assertThat(run(ebb("plugins", "install", "examples/target/two-q.jar"))).contains("two-q");

    String made = run(ebb("plugins", "new", "mine", "--dir", directory.resolve("mine").toString()));
    assertThat(made).containsPattern("ebb-spi-[-\\w.]+-sources\\.jar");
  }

  @Test
  void hasAllKeysOfTheConfigurationAndNoCommandsOfModules() {
    assertThat(home.resolve("docs/reference.conf")).content().contains("ebb.pool.size = ");
    assertThat(home.resolve("README.md")).content().doesNotContain("-pl ");
  }

  @Test
  void saysWhatItContains() throws IOException {
    String contents = Files.readString(home.resolve("CONTENTS.txt"));
    try (Stream<Path> files = Files.list(home)) {
      List<String> names =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.matches("CONTENTS.txt|ebb\\..*"))
              .toList();
      assertThat(names)
          .contains("lib", "optional", "cluster", "jlama")
          .allMatch(contents::contains);
    }
  }

  @Test
  void theLibrariesForGpusAreADownloadOfTheirOwn(@TempDir Path empty) throws IOException {
    assertThat(jars(home.resolve("lib"))).noneMatch(name -> name.startsWith("jcuda-natives"));
    Path gpu = Ebb.ROOT.resolve("dist/target").resolve(home.getFileName() + "-gpu.tar.gz");
    Shell.run(empty, "tar", "xzf", gpu.toString());
    assertThat(jars(empty.resolve(home.getFileName()).resolve("lib")))
        .singleElement()
        .asString()
        .startsWith("jcuda-natives");
  }

  @Test
  void theLibrariesOfAClusterAreNotOnTheClassPath() throws IOException {
    String libraries = "(?:infinispan|jgroups|protostream|rxjava|ebb-cluster-infinispan)-.*";
    assertThat(jars(home.resolve("lib"))).noneMatch(name -> name.matches(libraries));
    assertThat(jars(home.resolve("cluster")))
        .anyMatch(name -> name.startsWith("infinispan-core"))
        .anyMatch(name -> name.startsWith("ebb-cluster-infinispan"))
        .doesNotContainAnyElementsOf(jars(home.resolve("lib")));
  }

  private static List<String> jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void theStartUpCacheHasTheClassesOfCommandsThatAskAServer() throws Exception {
    // That of the build, which has the same libraries: another one would take long to create.
    Path log = directory.resolve("classes.log");
    ProcessBuilder stats =
        new Ebb(directory)
            .builder("stats", "--url", "http://127.0.0.1:1")
            .redirectErrorStream(true);
    stats.environment().put("EBB_JAVA_OPTS", "-Xlog:class+load:file=" + log);
    Process process = stats.start();
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains(" jdk.internal.net.http.HttpClientImpl "))
        .noneMatch(line -> line.contains(" sun.security.ssl.TrustStoreManager "))
        .filteredOn(line -> line.matches(".* (jdk\\.internal\\.net\\.http|tools\\.jackson)\\..*"))
        .filteredOn(line -> !line.contains("$$") && !line.contains("shared objects file"))
        .hasSizeLessThan(20);
  }

  @Test
  void saysUnderWhichLicencesItIs() throws IOException {
    assertThat(home.resolve("LICENSE")).exists();
    assertThat(home.resolve("THIRD-PARTY.md")).exists();
    String libraries = Files.readString(home.resolve("LIBRARIES.txt"));
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      List<String> names =
          jars.map(jar -> jar.getFileName().toString())
              .filter(name -> name.endsWith(".jar") && !name.startsWith("ebb-"))
              .map(name -> name.replaceFirst("-\\d.*", ""))
              .toList();
      assertThat(names)
          .hasSizeGreaterThan(20)
          .allMatch(name -> libraries.contains(":" + name + ":"));
    }
    assertThat(libraries).doesNotContain("Unknown license");
  }

  @Test
  void theBillOfMaterialsHasEachLibraryAndItsHash() throws Exception {
    JsonNode bom = new ObjectMapper().readTree(home.resolve("bom.cdx.json").toFile());
    assertThat(bom.get("bomFormat").stringValue()).isEqualTo("CycloneDX");
    Map<String, String> listed = new TreeMap<>();
    for (JsonNode component : bom.get("components")) {
      for (JsonNode hash : component.get("hashes")) {
        if (hash.get("alg").stringValue().equals("SHA-256")) {
          listed.put(hash.get("content").stringValue(), component.get("purl").stringValue());
        }
      }
    }
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      List<Path> libraries = jars.filter(jar -> jar.toString().endsWith(".jar")).toList();
      assertThat(libraries).hasSizeGreaterThan(40);
      for (Path library : libraries) {
        assertThat(listed.get(sha256(library)))
            .as(library.toString())
            .isNotNull()
            .contains("/" + library.getFileName().toString().replaceFirst("-\\d.*", "") + "@");
      }
    }
  }

  private static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
  }

  @Test
  void eachJarOfEbbHasAModuleNameOfItsOwn() throws IOException {
    List<String> names = new ArrayList<>();
    for (String folder : List.of("lib", "plugins")) {
      try (Stream<Path> files = Files.list(home.resolve(folder))) {
        for (Path file : files.filter(ArchiveIT::isOfEbb).toList()) {
          try (JarFile jar = new JarFile(file.toFile())) {
            names.add(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
          }
        }
      }
    }
    assertThat(names)
        .hasSizeGreaterThan(20)
        .allMatch(name -> name != null && name.matches("dev\\.ebb(\\.[a-z]+)+"))
        .doesNotHaveDuplicates();
  }

  /** Other tests of the archive install JARs of their own beside those of Ebb. */
  private static boolean isOfEbb(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jar") && name.startsWith("ebb-");
  }

  @Test
  void othersMayWriteNothingInIt() throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.toList()) {
        assertThat(Files.getPosixFilePermissions(file))
            .as(file.toString())
            .doesNotContain(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
      }
    }
    assertThat(home.resolve("ebb")).isExecutable();
  }

  private static ProcessBuilder ebb(String... arguments) {
    ProcessBuilder ebb = archive.ebb(arguments);
    // It would take longer to create than all starts take without it.
    ebb.environment().put("EBB_AOT_CACHE", "off");
    return ebb;
  }

  private static String run(ProcessBuilder builder) {
    try {
      Process process = builder.start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      return said;
    } catch (IOException failed) {
      throw new AssertionError(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
