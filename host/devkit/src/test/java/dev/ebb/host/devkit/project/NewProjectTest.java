package dev.ebb.host.devkit.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NewProjectTest {

  @TempDir private Path home;
  private Path folder;
  private Libraries libraries;

  @BeforeEach
  void makeLibraries() throws IOException {
    folder = home.resolve("made");
    libraries =
        new Libraries(
            Files.writeString(home.resolve("spi.jar"), "the contract"),
            Files.writeString(home.resolve("kit.jar"), "the checks"));
  }

  @Test
  void holdsWhatMavenNeeds() throws IOException {
    assertThat(project("my-policy", ProjectKind.POLICY, ProjectBuild.MAVEN).write(folder))
        .containsExactlyElementsOf(filesIn(folder))
        .containsExactly(
            ".gitignore",
            ".mvn/maven.config",
            "README.md",
            "pom.xml",
            inRepository("ebb-spi-testkit", "jar"),
            inRepository("ebb-spi-testkit", "jar.sha1"),
            inRepository("ebb-spi-testkit", "pom"),
            inRepository("ebb-spi-testkit", "pom.sha1"),
            inRepository("ebb-spi", "jar"),
            inRepository("ebb-spi", "jar.sha1"),
            inRepository("ebb-spi", "pom"),
            inRepository("ebb-spi", "pom.sha1"),
            "src/main/java/example/mypolicy/MyPolicy.java",
            "src/main/java/example/mypolicy/MyPolicyProvider.java",
            "src/main/resources/META-INF/services/dev.ebb.spi.BlockPolicyProvider",
            "src/main/resources/reference.conf",
            "src/test/java/example/mypolicy/MyPolicyTest.java");
    assertThat(folder.resolve("pom.xml")).content().contains("[>=1.7.0 & <2.0.0]");
    assertThat(folder.resolve(inRepository("ebb-spi", "jar"))).hasContent("the contract");
  }

  /** Maven warns with a stack trace about each file without a checksum. */
  @Test
  void eachFileOfTheRepositoryHasItsChecksum() throws Exception {
    Files.createDirectory(home.resolve("sources"));
    Files.writeString(home.resolve("sources/kit-sources.jar"), "its sources");
    List<String> inRepository =
        project("my-policy", ProjectKind.POLICY, ProjectBuild.MAVEN).write(folder).stream()
            .filter(file -> file.startsWith("repository/"))
            .toList();
    List<String> checked = inRepository.stream().filter(file -> !file.endsWith(".sha1")).toList();

    assertThat(checked).hasSize(5);
    assertThat(inRepository).hasSize(10);
    for (String file : checked) {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(folder.resolve(file)));
      assertThat(folder.resolve(file + ".sha1")).hasContent(HexFormat.of().formatHex(digest));
    }
  }

  @Test
  void anotherBuildOfTheContractIsAnotherVersionForMaven() throws IOException {
    String before = libraries.version();
    project("x", ProjectKind.POLICY, ProjectBuild.MAVEN).write(folder);
    Files.writeString(libraries.spi(), "another contract");

    assertThat(libraries.version()).isNotEqualTo(before).matches("1\\.7\\.0-[0-9a-f]{8}");
    assertThat(folder.resolve("pom.xml")).content().contains("<version>" + before + "</version>");
    assertThat(folder.resolve("repository/dev/ebb/ebb-spi/" + before)).isDirectory();
  }

  @Test
  void copiesTheSourcesOfTheJars() throws IOException {
    Path sources = Files.createDirectory(home.resolve("sources"));
    Files.writeString(sources.resolve("spi-sources.jar"), "its sources");

    project("x", ProjectKind.POLICY, ProjectBuild.MAVEN).write(folder);
    assertThat(folder.resolve(inRepository("ebb-spi", "jar").replace(".jar", "-sources.jar")))
        .hasContent("its sources");

    Path script = home.resolve("script");
    assertThat(project("x", ProjectKind.POLICY, ProjectBuild.JAVAC).write(script))
        .contains("lib/ebb-spi-1.7.0-sources.jar");
  }

  @Test
  void theScriptLooksForAJdk() throws Exception {
    project("tiny", ProjectKind.POLICY, ProjectBuild.JAVAC).write(folder);
    Path old = home.resolve("old");
    Files.createDirectories(old.resolve("bin"));
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path fits = home.resolve("fits");
    Files.createDirectories(fits.resolve("bin"));
    Files.writeString(fits.resolve("release"), "JAVA_VERSION=\"99.0.1\"\n");
    for (String tool : List.of("javac", "jar")) {
      for (Path jdk : List.of(old, fits)) {
        Path made =
            Files.writeString(jdk.resolve("bin/" + tool), "#!/bin/sh\nmkdir -p build/classes\n");
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
      }
    }
    ProcessBuilder build = new ProcessBuilder("sh", folder.resolve("build.sh").toString());
    build.environment().put("JAVA_HOME", old.toString());
    build.environment().put("PATH", fits.resolve("bin") + ":" + System.getenv("PATH"));
    Process process = build.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(said).isEqualTo("built build/tiny-1.0.0.jar\n");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void holdsWhatTheScriptNeeds() throws IOException {
    assertThat(project("tiny", ProjectKind.TOKEN_POLICY, ProjectBuild.JAVAC).write(folder))
        .containsExactlyElementsOf(filesIn(folder))
        .contains("build.sh", "manifest.txt", "lib/ebb-spi-1.7.0.jar")
        .contains("src/main/resources/META-INF/services/dev.ebb.spi.TokenPolicyProvider")
        .noneMatch(file -> file.startsWith("repository") || file.startsWith("src/test"));
    assertThat(folder.resolve("build.sh")).isExecutable();
    assertThat(folder.resolve("manifest.txt"))
        .hasContent("Plugin-Id: tiny\nPlugin-Version: 1.0.0\nPlugin-Requires: >=1.7.0 & <2.0.0\n");
  }

  @ParameterizedTest
  @EnumSource(ProjectKind.class)
  void leavesNoWordOfATemplateUnfilled(ProjectKind kind) throws IOException {
    for (ProjectBuild build : ProjectBuild.values()) {
      for (ProjectLanguage language : ProjectLanguage.values()) {
        if (build == ProjectBuild.JAVAC && language == ProjectLanguage.KOTLIN) {
          continue;
        }
        Path made = home.resolve(build.name() + language);
        ProjectSpec spec = ProjectSpec.of("x", kind, null, build, language);
        new NewProject(spec, libraries, "ebb").write(made);
        for (String file : filesIn(made)) {
          assertThat(Files.readString(made.resolve(file))).as(file).doesNotContain("{{");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ProjectKind.class)
  void holdsWhatGradleNeedsForKotlin(ProjectKind kind) throws IOException {
    ProjectSpec spec =
        ProjectSpec.of("my-x", kind, null, ProjectBuild.GRADLE, ProjectLanguage.KOTLIN);
    NewProject made = new NewProject(spec, libraries, "ebb");
    assertThat(made.write(folder))
        .containsExactlyElementsOf(filesIn(folder))
        .contains("build.gradle.kts", "settings.gradle.kts", inRepository("ebb-spi", "pom"))
        .contains("src/main/kotlin/example/myx/MyX.kt", "src/test/kotlin/example/myx/MyXTest.kt")
        .contains("src/main/resources/META-INF/services/" + kind.service().getName())
        .noneMatch(file -> file.endsWith(".java") || file.equals("pom.xml"));
    assertThat(made.jar()).isEqualTo("build/libs/my-x-1.0.0.jar");
    assertThat(folder.resolve("build.gradle.kts"))
        .content()
        .contains("kotlin(\"jvm\") version", "\"Plugin-Id\" to \"my-x\"", libraries.version());
    assertThat(folder.resolve("src/test/kotlin/example/myx/MyXTest.kt"))
        .content()
        .contains(": " + kind.contract() + "()");
  }

  @Test
  void aJavaProjectForGradlePacksNoKotlin() throws IOException {
    project("my-x", ProjectKind.POLICY, ProjectBuild.GRADLE).write(folder);

    assertThat(folder.resolve("build.gradle.kts"))
        .content()
        .contains("org.jspecify:jspecify")
        .doesNotContain("otlin");
  }

  @Test
  void reportsTheCommandsThatFollow() {
    project("warm", ProjectKind.POLICY, ProjectBuild.JAVAC).write(folder);

    assertThat(folder.resolve("README.md"))
        .content()
        .contains(
            "sh build.sh\nEBB=\"/opt/my ebb/ebb\"\n\"$EBB\" plugins verify build/warm-1.0.0.jar");
  }

  @Test
  void leavesAFolderThatHoldsSomethingAlone() throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("mine"), "mine");

    assertThatThrownBy(() -> project("x", ProjectKind.POLICY, ProjectBuild.MAVEN).write(folder))
        .hasMessage("the folder '%s' is not empty; name another with --dir", folder);
    assertThat(filesIn(folder)).containsExactly("mine");
  }

  @Test
  void saysWhyAFolderCannotBeCreated() throws IOException {
    Path below = Files.createFile(folder).resolve("below");

    assertThatThrownBy(() -> project("x", ProjectKind.POLICY, ProjectBuild.MAVEN).write(below))
        .hasMessageStartingWith("'%s' cannot be written: ", below)
        .hasMessageEndingWith("; name another folder with --dir")
        .hasMessageNotContaining("java.nio");
  }

  @Test
  void writesIntoAnEmptyFolderAndNotOverAFile() throws IOException {
    Files.createDirectory(folder);
    project("x", ProjectKind.PREDICTOR, ProjectBuild.JAVAC).write(folder);
    Path file = Files.createFile(home.resolve("file"));

    assertThat(folder.resolve("build.sh")).exists();
    assertThatThrownBy(() -> project("x", ProjectKind.POLICY, ProjectBuild.MAVEN).write(file))
        .hasMessage("'%s' is a file; name another folder with --dir", file);
  }

  private String inRepository(String artifact, String type) {
    String version = libraries.version();
    return "repository/dev/ebb/%s/%s/%s-%s.%s"
        .formatted(artifact, version, artifact, version, type);
  }

  private NewProject project(String name, ProjectKind kind, ProjectBuild build) {
    return new NewProject(
        ProjectSpec.of(name, kind, null, build, ProjectLanguage.JAVA),
        libraries,
        "/opt/my ebb/ebb");
  }

  private static List<String> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }
}
