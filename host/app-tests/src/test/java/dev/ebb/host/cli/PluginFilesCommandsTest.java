package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.TestSigner;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Installing, removing, reloading, going back, from the command line. */
class PluginFilesCommandsTest {

  @TempDir private Path home;
  private Path folder;
  private Path jar;

  @BeforeEach
  void makeJar() throws IOException {
    folder = Configs.plugins(home);
    Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
    jar = PluginJarBuilder.plugin("other").policy("other").writeTo(elsewhere, "other.jar");
  }

  @Test
  void aJarIsInstalledWithModesThatEbbTrusts() throws IOException {
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-rw-"));

    Run run = install(jar);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("installed other 1.0.0 as " + folder.resolve("other.jar"));
    assertThat(Files.getPosixFilePermissions(folder.resolve("other.jar")))
        .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(install(jar).out()).startsWith("replaced other 1.0.0");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(folder.resolve("other.jar"));
    }
  }

  @Test
  void theOtherVersionsAreReplacedIfWanted() throws IOException {
    Path elsewhere = home.resolve("elsewhere");
    for (String version : List.of("0.9.0", "1.1.0")) {
      PluginJarBuilder.plugin("other")
          .version(version)
          .policy("other")
          .writeTo(folder, "other-" + version + ".jar");
    }
    PluginJarBuilder.plugin("third").policy("third").writeTo(folder, "third.jar");

    Run run =
        Run.of(
            "plugins",
            "install",
            jar.toString(),
            "--replace",
            "--config",
            Configs.withPlugins(home).toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .startsWith("installed other 1.0.0 as " + folder.resolve("other.jar"))
        .contains("removed " + folder.resolve("other-0.9.0.jar"))
        .contains("removed " + folder.resolve("other-1.1.0.jar"));
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files)
          .containsExactlyInAnyOrder(folder.resolve("other.jar"), folder.resolve("third.jar"));
    }

    Files.writeString(elsewhere.resolve("half.jar"), "half");
    assertThat(
            Run.of(
                    "plugins",
                    "install",
                    elsewhere + "/half.jar",
                    "--replace",
                    "--folder",
                    "" + folder)
                .exitCode())
        .isEqualTo(1);
    assertThat(folder.resolve("other.jar")).exists();
  }

  @Test
  void onlyASignedJarIsInstalledIfSignaturesAreRequired() throws IOException {
    TestSigner acme = TestSigner.of(home, "Acme");
    Path keys = Files.createDirectory(home.resolve("keys"));
    Path trusted = Files.copy(acme.certificate(), keys.resolve("acme.crt"));
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(trusted, PosixFilePermissions.fromString("rw-r--r--"));
    String file =
        Configs.file(
                home,
                "ebb.plugins { folder = \"%s\", run = \"%s/r\", require-signature = true, keys-folder = keys }"
                    .formatted(folder, home))
            .toString();

    Run unsigned = Run.of("plugins", "install", jar.toString(), "--config", file);
    assertThat(unsigned.exitCode()).isEqualTo(1);
    assertThat(unsigned.err()).contains("was not installed", "is not signed");
    assertThat(folder).isEmptyDirectory();

    acme.sign(jar);
    Run signed = Run.of("plugins", "install", jar.toString(), "--config", file);
    assertThat(signed.exitCode()).as(signed.err()).isZero();
    assertThat(Run.of("plugins", "list", "--config", file).out())
        .containsPattern("other +1.0.0 +[0-9a-f]{12} +loaded +other");
  }

  @Test
  void aJarThatCannotBeLoadedIsNotInstalled() throws IOException {
    Files.writeString(jar, "half");

    Run run = install(jar);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("ebb: '%s' was not installed: it cannot be read as a JAR".formatted(jar));
    assertThat(folder).isEmptyDirectory();
    assertThat(install(home.resolve("no.jar")).err())
        .isEqualTo("ebb: there is no file '%s'%n".formatted(home.resolve("no.jar")));
  }

  @Test
  void aNameThatAnotherPluginServesIsNotTakenFromIt() throws IOException {
    install(jar);
    Path twin =
        PluginJarBuilder.plugin("twin").policy("other").writeTo(home.resolve("elsewhere"), "t.jar");

    Run run = install(twin);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "ebb: '%s' was not installed: the policy name 'other' is ambiguous: plugins [other, twin]"
                .formatted(twin))
        .contains(
            "set ebb.eviction.policies.other.plugin to one of them; or give yours another name");
    assertThat(folder.resolve("t.jar")).doesNotExist();

    Path decided =
        Configs.file(
            home,
            "ebb { plugins { folder = \"%s\", run = \"%s/r\" }, eviction.policies.other.plugin = twin }"
                .formatted(folder, home));
    assertThat(Run.of("plugins", "install", twin.toString(), "--config", decided.toString()).out())
        .startsWith("installed twin 1.0.0");
  }

  @Test
  void aNameThatTheConfigurationNeedsIsNotTakenAwayByAHigherVersion() {
    PluginJarBuilder.plugin("acme").policy("one").policy("two").writeTo(folder, "acme.jar");
    Path usurper =
        PluginJarBuilder.plugin("acme")
            .version("9.0.0")
            .policy("good")
            .writeTo(home.resolve("elsewhere"), "usurper.jar");

    assertNotInstalled(usurper, "ebb.eviction.policy = one", "one", "ebb.eviction.policy");
    assertNotInstalled(usurper, "ebb.shadow.policies = [two]", "two", "ebb.shadow.policies");
    assertNotInstalled(
        usurper, "ebb.eviction.policies.two.bonus = 1", "two", "ebb.eviction.policies.two");
    assertNotInstalled(
        usurper,
        """
        ebb.eviction.rules = [
          { name = full, when = occupancy, above = "99 %", clear-at = "98 %", policy = two }
        ]
        """,
        "two",
        "ebb.eviction.rules[full].policy");
    assertThat(folder.resolve("usurper.jar")).doesNotExist();

    Run other = install(usurper, "ebb.eviction.policy = none");
    assertThat(other.out())
        .startsWith("installed acme 9.0.0 as ")
        .contains(
            "the policy 'one' of 'acme.jar' is no longer served: 'usurper.jar' replaces it and does"
                + " not offer it",
            "the policy 'two' of 'acme.jar' is no longer served: 'usurper.jar' replaces it and does"
                + " not offer it");
  }

  @Test
  void aNameThatTheConfigurationNeedsIsNotTakenAwayByAFileOfThatName() {
    PluginJarBuilder.plugin("acme").policy("one").writeTo(folder, "other.jar");

    assertNotInstalled(jar, "ebb.eviction.policy = one", "one", "ebb.eviction.policy", "other.jar");
  }

  @Test
  void aLowerVersionTakesNoNameAway() {
    PluginJarBuilder.plugin("other")
        .version("2.0.0")
        .policy("one")
        .writeTo(folder, "other-2.0.0.jar");

    assertThat(install(jar, "ebb.eviction.policy = one").out())
        .startsWith("installed other 1.0.0 as ")
        .contains("other.jar: other-2.0.0.jar has the higher version 2.0.0 and serves")
        .doesNotContain("gone");
  }

  private void assertNotInstalled(Path newer, String settings, String name, String key) {
    assertNotInstalled(newer, settings, name, key, "acme.jar");
  }

  private void assertNotInstalled(
      Path newer, String settings, String name, String key, String older) {
    Run run = install(newer, settings);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "ebb: '%s' was not installed: it would replace '%s' (plugin 'acme', version 1.0.0) and has no policy '%s', which %s needs; give it that policy or another Plugin-Id, or change %s first"
                .formatted(newer, older, name, key, key));
  }

  private Run install(Path file, String settings) {
    Path configuration =
        Configs.file(
            home,
            "ebb.plugins { folder = \"%s\", run = \"%s/r\" }%n%s"
                .formatted(folder, home, settings));
    return Run.of("plugins", "install", file.toString(), "--config", configuration.toString());
  }

  @Test
  void theActivePolicyIsShownThoughItsNameCameToBeOfferedTwice() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      PluginJarBuilder.plugin("twin").policy("first").writeTo(folder, "twin.jar");
      ebb.run("plugins", "reload");

      assertThat(ebb.run("policy", "show").out())
          .startsWith("first, of acme 1.2.3, active")
          .contains(
              "stays active, but cannot be chosen again: the policy name 'first' is ambiguous");
      assertThat(ebb.run("policy", "list").out())
          .containsPattern("(?m)^\\* +first +acme +1.2.3")
          .contains("first: the policy name 'first' is ambiguous");
    }
  }

  @Test
  void aPluginIsRemovedById() {
    install(jar);

    assertThat(remove("othr").err())
        .contains("there is no plugin 'othr'")
        .contains("did you mean 'other'?");
    assertThat(remove("other").out()).contains("removed " + folder.resolve("other.jar"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aRunningEbbTakesOverWhatIsInstalledAndGoesBack() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      install(jar);
      Run reload = ebb.run("plugins", "reload");
      assertThat(reload.exitCode()).as(reload.err()).isZero();
      assertThat(ebb.run("policy", "set", "other").out()).contains("'other' is active");

      assertThat(ebb.run("policy", "rollback").out())
          .startsWith("first (acme 1.2.3, ")
          .contains("is active again; the previous policy was 'other'");
      assertThat(ebb.run("plugins", "history").out())
          .contains("builtin-lru -> first (acme 1.2.3, ")
          .contains("(rollback)")
          .contains("self-test ");
      assertThat(ebb.run("plugins", "history", "--tail", "0").exitCode()).isEqualTo(2);
      assertThat(ebb.run("policy", "unquarantine", "other").err())
          .contains("no policy 'other' is in quarantine; in quarantine: []");
      assertThat(ebb.run("policy", "rollback", "--json").out()).contains("\"before\":\"first\"");
    }
  }

  @Test
  void theEffectOnARunningEbbIsReported() throws IOException {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.plugins.rescan = 1 s\n")) {
      assertThat(install(jar, ebb).out())
          .startsWith("installed other 1.0.0 as ")
          .endsWith("the Ebb at " + ebb.url() + " has loaded it\n");

      Path newer =
          PluginJarBuilder.plugin("acme")
              .version("1.3.0")
              .policy("first", "if (true) throw new IllegalStateException(\"no room\");")
              .writeTo(home.resolve("elsewhere"), "acme-1.3.0.jar");
      Run refused = install(newer, ebb);
      assertThat(refused.exitCode()).as(refused.err()).isZero();
      assertThat(refused.out())
          .startsWith("installed acme 1.3.0 as ")
          .contains("the Ebb at " + ebb.url() + " does not use it: it did not take over: ")
          .contains("no room")
          .doesNotContain("passed over", "acme.jar: ");
      assertThat(ebb.run("policy", "show").out()).startsWith("first, of acme 1.2.3, active");
    }
    Run unheard =
        Run.of(
            "plugins",
            "install",
            jar.toString(),
            "--folder",
            folder.toString(),
            "--url",
            "http://127.0.0.1:1");
    assertThat(unheard.exitCode()).isEqualTo(1);
    assertThat(unheard.out()).startsWith("replaced other 1.0.0");
    assertThat(unheard.err()).contains("no Ebb listens at");
  }

  @Test
  void thatNoServerAnsweredIsReported() throws IOException {
    String closed;
    try (ServerSocket free = new ServerSocket(0)) {
      closed = "ebb.admin.port = " + free.getLocalPort();
    }

    Run run = install(jar, closed);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("installed other 1.0.0");
    assertThat(run.err()).contains("127.0.0.1:" + closed.replaceAll("\\D+", ""), "--url");
  }

  @Test
  void aServerWithAnotherFolderIsReported() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Path other = Configs.plugins(home.resolve("other"));
      Run run =
          Run.of(
              "plugins",
              "install",
              jar.toString(),
              "--folder",
              other.toString(),
              "--url",
              ebb.url());

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).startsWith("installed other 1.0.0");
      assertThat(run.err()).contains(ebb.url(), folder.toString(), other.toString(), "--url");
    }
  }

  @Test
  void aPolicyThatCannotBeMadeIsReportedThoughItsJarIsLoaded() throws IOException {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.plugins.rescan = 1 s\n")) {
      Path broken =
          PluginJarBuilder.plugin("broken")
              .policy("broken", "if (true) throw new IllegalStateException(\"no room\");")
              .writeTo(home.resolve("elsewhere"), "broken.jar");

      assertThat(install(broken, ebb).out())
          .contains("the Ebb at " + ebb.url() + " has loaded it\n")
          .contains("its policy 'broken' cannot be used: ")
          .contains("no room");
    }
  }

  @Test
  void thatARemovedPluginServesOnIsReported() {
    try (RunningEbb ebb = RunningEbb.start(home, "ebb.plugins.rescan = 1 s\n")) {
      install(jar, ebb);
      assertThat(remove("other", ebb).out())
          .isEqualTo("removed %s%n".formatted(folder.resolve("other.jar")));

      assertThat(remove("acme", ebb).out())
          .startsWith("removed ")
          .contains("'" + ebb.url() + "' has 'first' active, and keeps serving with a copy");
      assertThat(ebb.run("policy", "show").out()).startsWith("first, of acme 1.2.3, active");
    }
  }

  private Run remove(String id, RunningEbb ebb) {
    return Run.of("plugins", "remove", id, "--folder", folder.toString(), "--url", ebb.url());
  }

  private Run install(Path file, RunningEbb ebb) {
    return Run.of(
        "plugins", "install", file.toString(), "--folder", folder.toString(), "--url", ebb.url());
  }

  private Run install(Path file) {
    return Run.of("plugins", "install", file.toString(), "--folder", folder.toString());
  }

  private Run remove(String id) {
    return Run.of("plugins", "remove", id, "--folder", folder.toString());
  }
}
