package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a checkout of its own. */
class LauncherIT {

  private static final String NEWER = "Source.java is newer than the build that runs";

  @TempDir Path folder;
  private Path home;
  private Path source;

  @BeforeEach
  void checkOut() throws IOException {
    home = Files.createDirectory(folder.toRealPath().resolve("ebb"));
    Files.createDirectory(home.resolve("bin"));
    for (String file : new String[] {"ebb", "bin/find-jdk.sh", "bin/dev.sh"}) {
      Files.copy(Ebb.ROOT.resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }
    Files.createDirectory(home.resolve(".git"));
    source = source("host/store");
    Files.writeString(
        home.resolve("pom.xml"),
        "<module>host</module>\n<module>dist-tests</module>\n<module>benchmarks</module>\n");
    Files.writeString(
        home.resolve("host/pom.xml"),
        "<module>store</module>\n<module>app</module>\n<module>testing</module>\n");
    Files.createDirectory(home.resolve("host/app-tests"));
    Path tests = Files.createDirectory(home.resolve("dist-tests"));
    Files.writeString(tests.resolve("pom.xml"), "<artifactId>ebb-dist</artifactId>\n");
  }

  private Path source(String folder) throws IOException {
    Path main = Files.createDirectories(home.resolve(folder).resolve("src/main"));
    return Files.writeString(main.resolve("Source.java"), "class Source {}");
  }

  private void build() throws IOException {
    Path lib = Files.createDirectories(home.resolve("dist/target/ebb/lib"));
    try (Stream<Path> jars = Files.list(Ebb.ROOT.resolve("dist/target/ebb/lib"))) {
      for (Path jar : jars.toList()) {
        Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
      }
    }
    Path layout = home.resolve("dist/target/ebb");
    Files.writeString(layout.resolve("ebb.aot.failed"), "");
    Files.writeString(layout.resolve("ebb.folder"), layout + "\n");
  }

  /**
   * Makes a JDK whose Java writes a start-up cache without training and answers {@code --version},
   * so that only the launcher is tested. It lists the caches in a file {@code made}.
   */
  private String quickJdk() throws IOException {
    Path jdk = Files.createDirectories(folder.toRealPath().resolve("jdk/bin")).getParent();
    Path real = Path.of(System.getProperty("java.home"));
    Files.copy(real.resolve("release"), jdk.resolve("release"));
    Files.createSymbolicLink(jdk.resolve("bin/javac"), real.resolve("bin/javac"));
    Path java =
        Files.writeString(
            jdk.resolve("bin/java"),
            """
            #!/bin/sh
            for option; do
              case $option in
                -XX:AOTCacheOutput=*) echo cache | tee "${option#*=}" >>"$0.made"; exit ;;
                --version) echo 'ebb 0.1.0'; exit ;;
                help) echo 'Usage: ebb'; exit ;;
              esac
            done
            exit 1
            """);
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    return jdk.toString();
  }

  private List<String> caches() throws IOException {
    return Files.readAllLines(folder.resolve("jdk/bin/java.made"));
  }

  @Test
  void aMovedInstallationMakesItsStartUpCacheAgain() throws Exception {
    build();
    String jdk = quickJdk();
    Files.delete(home.resolve("dist/target/ebb/ebb.aot.failed"));
    Path cache = Path.of("dist/target/ebb/ebb.aot");
    String path = System.getenv("PATH");
    String first = run(path, jdk, "help");
    assertThat(home.resolve(cache)).exists();
    assertThat(home.resolve("dist/target/ebb/ebb-commands.aot")).isNotEmptyFile();
    assertThat(first).startsWith("ebb: ").contains(home.resolve(cache).toString(), "EBB_AOT_CACHE");
    String commands = run(path, jdk, "help");
    assertThat(commands).doesNotContain("EBB_AOT_CACHE");

    Path real = home;
    home = Files.createSymbolicLink(folder.resolve("link"), real);
    assertThat(run(path, jdk, "help")).isEqualTo(commands);
    assertThat(caches()).hasSize(2);

    home = Files.move(real, folder.toRealPath().resolve("moved"));

    assertThat(run(path, jdk, "help")).startsWith("ebb: ").endsWith("\n" + commands);
    assertThat(caches()).hasSize(4);
    assertThat(home.resolve("dist/target/ebb/ebb.folder")).content().contains(home.toString());
  }

  @Test
  void removesWhatAFirstStartThatWasKilledHasLeft() throws Exception {
    build();
    Path layout = home.resolve("dist/target/ebb");
    Files.delete(layout.resolve("ebb.aot.failed"));
    for (String left : List.of("ebb.aot.%d", "ebb.aot.%d.config", "ebb-commands.aot.%d")) {
      Path partial = Files.writeString(layout.resolve(left.formatted(4711)), "partial");
      age(partial, Duration.ofHours(1));
    }
    run(System.getenv("PATH"), quickJdk(), "help");

    try (Stream<Path> files = Files.list(layout)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> name.contains(".aot"))
          .containsExactlyInAnyOrder("ebb.aot", "ebb-commands.aot");
    }
  }

  @Test
  void makesNoStartUpCacheIfItMustNot() throws Exception {
    build();
    Path layout = home.resolve("dist/target/ebb");
    Files.delete(layout.resolve("ebb.aot.failed"));

    Process off = start(System.getenv("PATH"), Map.of("EBB_AOT_CACHE", "off"));
    Process wrong = start(System.getenv("PATH"), Map.of("EBB_AOT_CACHE", "no"));

    assertThat(said(off)).startsWith("ebb ");
    assertThat(layout.resolve("ebb.aot")).doesNotExist();
    assertThat(said(wrong)).contains("EBB_AOT_CACHE='no'", "'off'");
    assertThat(wrong.exitValue()).isEqualTo(1);
  }

  @Test
  void namesTheVariableOfAWrongJavaOption() throws Exception {
    build();
    Process process =
        start(System.getenv("PATH"), Map.of("EBB_JAVA_OPTS", "-Xmx8 -XX:+NoSuchOption"));

    assertThat(said(process)).contains("EBB_JAVA_OPTS='-Xmx8 -XX:+NoSuchOption'", "unset");
    assertThat(process.waitFor()).isEqualTo(1);
  }

  @Test
  void waitsForABuildAndSaysSo() throws Exception {
    build();
    long builder = ProcessHandle.current().pid();
    Path lock = Files.writeString(home.resolve("dist/target/build.lock"), builder + "\n");

    Process process = start(System.getenv("PATH"), Map.of());
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    assertThat(output.readLine()).contains("waiting for the build", "process " + builder);
    Files.delete(lock);

    assertThat(output.readLine()).startsWith("ebb ");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void aLockOfAProcessThatEndedDoesNotCount() throws Exception {
    build();
    String jdk = quickJdk();
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    Path lock = Files.writeString(home.resolve("dist/target/build.lock"), ended.pid() + "\n");

    assertThat(run(System.getenv("PATH"), jdk)).startsWith("ebb ");
    assertThat(lock).doesNotExist();
  }

  @Test
  void saysThatTheBuildIsOlderThanTheSources() throws Exception {
    build();
    String jdk = quickJdk();

    age(source, Duration.ofDays(9000));
    age(source("my-policy"), Duration.ofDays(-1));
    age(source("benchmarks"), Duration.ofDays(-1));
    age(source("host/testing"), Duration.ofDays(-1));
    assertThat(run(System.getenv("PATH"), jdk)).startsWith("ebb ").doesNotContain(NEWER);
    age(source, Duration.ofDays(-1));
    assertThat(run(System.getenv("PATH"), jdk)).contains(NEWER, "mvn -f \"" + home + '"', "ebb 0.");
  }

  @Test
  void aCopiedCheckoutIsNotOlderThanItsSources() throws Exception {
    build();
    String jdk = quickJdk();
    Path copy = folder.resolve("copy");
    Process copying = new ProcessBuilder("cp", "-R", home.toString(), copy.toString()).start();
    assertThat(copying.waitFor()).isZero();
    source = copy.resolve(home.relativize(source));
    home = copy;
    age(source, Duration.ofSeconds(1));

    assertThat(run(System.getenv("PATH"), jdk)).contains("ebb 0.").doesNotContain(NEWER);
    assertThat(run(System.getenv("PATH"), jdk)).contains("ebb 0.").doesNotContain(NEWER);
    age(source, Duration.ofDays(-1));
    assertThat(run(System.getenv("PATH"), jdk)).contains(NEWER);
  }

  @Test
  void aFirstStartDoesNotCountAsABuild() throws Exception {
    build();
    String jdk = quickJdk();
    Files.delete(home.resolve("dist/target/ebb/ebb.folder"));
    age(source, Duration.ZERO);

    assertThat(run(System.getenv("PATH"), jdk)).contains(NEWER);
    assertThat(run(System.getenv("PATH"), jdk)).contains(NEWER);
  }

  @Test
  void showsWhyABuildFailed() throws Exception {
    Path maven = Files.createDirectory(home.resolve("path")).resolve("mvn");
    Files.writeString(
        maven,
        """
        #!/bin/sh
        echo '[INFO] Scanning for projects...'
        echo '[WARNING] /x/A.java:[3,4] [deprecation] foo() in A has been deprecated'
        echo '[ERROR] error: warnings found and -Werror specified'
        echo '[ERROR] -> [Help 1]'
        exit 1
        """);
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));

    assertThat(run(maven.getParent() + ":" + System.getenv("PATH")))
        .contains("first use", "A.java:[3,4] [deprecation]", "warnings found and -Werror")
        .contains("the build failed; the whole log is in " + home)
        .doesNotContain("Help 1", "Scanning");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "serve", "generate"})
  void buildsWhatRuns(String command) throws Exception {
    Path maven = Files.createDirectory(home.resolve("path")).resolve("mvn");
    Files.writeString(maven, "#!/bin/sh\necho \"[ERROR] pom.xml: $*\"\nexit 1\n");
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
    String path = maven.getParent() + ":" + System.getenv("PATH");

    assertThat(run(path, System.getProperty("java.home"), command))
        .contains("-pl dist -am package");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          dev compile store,              -pl host/store -am test-compile
          dev test host/store,            -pl host/store verify
          dev test store FooTest,         -pl host/store -Dtest=FooTest test
          dev test store FooIT,           -Dit.test=FooIT
          dev test store FooTest,         -pl host/store -am -DskipTests install
          dev test app,                   -pl host/app-tests verify
          dev test dist-tests,            '-pl dist,dist-tests verify'
          dev test st.re,                 unknown module 'st.re'
          dev compile,                    Modules:
          dev --help,                     benchmarks
          """)
  void buildsAndTestsOneModule(String command, String expected) throws Exception {
    Path maven = Files.createDirectory(home.resolve("path")).resolve("mvn");
    Files.writeString(maven, "#!/bin/sh\necho \"$*\"\n");
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
    String path = maven.getParent() + ":" + System.getenv("PATH");

    assertThat(run(path, System.getProperty("java.home"), command)).contains(expected);
  }

  @Test
  void aJdkThatIsNamedAndIsNoneIsNotReplacedByAnother() throws Exception {
    assertThat(run(System.getenv("PATH"), "/no/jdk"))
        .startsWith("ebb: EBB_JAVA_HOME='/no/jdk' is not a JDK 25 or newer; set it to one");
  }

  private static void age(Path file, Duration age) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
  }

  private String run(String path) throws Exception {
    return run(path, System.getProperty("java.home"));
  }

  private String run(String path, String jdk) throws Exception {
    return run(path, jdk, "--version");
  }

  private String run(String path, String jdk, String command) throws Exception {
    return said(start(path, Map.of("EBB_JAVA_HOME", jdk), command));
  }

  private Process start(String path, Map<String, String> variables) throws IOException {
    return start(path, variables, "--version");
  }

  private Process start(String path, Map<String, String> variables, String command)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder((home.resolve("ebb") + " " + command).split(" "))
            .redirectErrorStream(true);
    builder.environment().put("PATH", path);
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(variables);
    return builder.start();
  }

  private static String said(Process process) throws Exception {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }
}
