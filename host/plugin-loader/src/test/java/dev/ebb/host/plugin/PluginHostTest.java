package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.jar.FolderUse;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PluginHostTest extends PluginFolderTest {

  private PluginHost host;

  @BeforeEach
  void makeHost() {
    host = new PluginHost(Configs.defaults(home).config());
  }

  @AfterEach
  void unload() {
    host.close();
  }

  @Test
  void aGoodJarIsLoadedAndItsStrategiesAreListed() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("two-q").writeTo(folder, "acme.jar");

    PluginReport report = open().getFirst();

    assertThat(report.state()).isEqualTo(PluginState.LOADED);
    assertThat(report.id()).isEqualTo("acme");
    assertThat(report.version()).isEqualTo("1.0.0");
    assertThat(report.sha256()).hasSize(64);
    assertThat(report.strategies()).isEqualTo(Map.of("policies", List.of("lru", "two-q")));
    assertThat(report.reason()).isEmpty();
    assertThat(host.catalog().names(StrategyKind.POLICY)).containsExactly("lru", "two-q");
  }

  @Test
  void otherFilesAreNotLookedAt() throws IOException {
    for (String name : List.of(".hidden.jar", "half.jar.tmp", "README.md", "a.zip", ".jar")) {
      Files.writeString(folder.resolve(name), "x");
    }
    Files.createDirectory(folder.resolve("folder.jar"));

    assertThat(open()).isEmpty();
  }

  @Test
  void aBadJarSpoilsNoOther() throws IOException {
    Files.writeString(folder.resolve("a-broken.jar"), "this is no JAR");
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "b-good.jar");
    PluginJarBuilder.plugin("bad").withoutManifest().policy("arc").writeTo(folder, "c-bad.jar");

    assertThat(open())
        .extracting(PluginReport::state)
        .containsExactly(PluginState.REFUSED, PluginState.LOADED, PluginState.REFUSED);
  }

  @Test
  void aLinkToNowhereIsListed() throws IOException {
    Files.createSymbolicLink(folder.resolve("gone.jar"), home.resolve("nowhere.jar"));
    PluginJarBuilder.plugin("one").policy("lru").writeTo(folder, "one.jar");

    assertThat(open())
        .extracting(report -> report.file().getFileName().toString(), PluginReport::state)
        .containsExactly(
            tuple("gone.jar", PluginState.REFUSED), tuple("one.jar", PluginState.LOADED));
  }

  @Test
  void aCopyUnderItsHashIsLoadedNotTheDroppedFile() throws IOException {
    Path dropped = PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    String sha256 = String.valueOf(open().getFirst().sha256());
    Files.writeString(dropped, "overwritten in place");

    assertThat(home.resolve("run/plugins").resolve(sha256).resolve("acme.jar")).exists();
    assertThat(home.resolve("run/plugins")).isDirectoryNotContaining("glob:**.tmp");
    assertThat(host.catalog().strategy(StrategyKind.POLICY, "lru").provider().name())
        .isEqualTo("lru");
  }

  @Test
  void theCopiesArePrivate() throws IOException {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    open();

    assertThat(Files.getPosixFilePermissions(home.resolve("run/plugins"))).hasSize(3);
  }

  @Test
  void theHigherVersionOfAPluginServes() {
    PluginJarBuilder.plugin("acme").version("1.9.0").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("acme").version("1.10.0").policy("lru").writeTo(folder, "b.jar");
    PluginJarBuilder.plugin("acme").version("1.10.0-rc.1").policy("lru").writeTo(folder, "c.jar");

    List<PluginReport> reports = open();

    assertThat(reports)
        .extracting(PluginReport::state)
        .containsExactly(PluginState.PASSED_OVER, PluginState.LOADED, PluginState.PASSED_OVER);
    assertThat(reports.getFirst().reason())
        .isEqualTo("b.jar has the higher version 1.10.0 and serves");
  }

  @Test
  void theSameFileTwiceIsLoadedOnce() {
    PluginJarBuilder jar = PluginJarBuilder.plugin("acme").policy("lru");
    jar.writeTo(folder, "a.jar");
    jar.writeTo(folder, "b.jar");

    assertThat(open().getLast().reason())
        .isEqualTo("it is identical to a.jar; remove one of the two");
  }

  @Test
  void twoFilesOfOneVersionAreDistinguished() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "b.jar");

    assertThat(open().getLast().reason())
        .isEqualTo("a.jar has the same version 1.0.0 and serves; remove one of the two");
  }

  @Test
  void aLowerVersionServesIfTheHigherCannotBeLoaded() {
    PluginJarBuilder.plugin("acme").version("1.0.0").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("acme").version("2.0.0").writeTo(folder, "b.jar");

    assertThat(open())
        .extracting(PluginReport::state)
        .containsExactly(PluginState.LOADED, PluginState.REFUSED);
  }

  @Test
  void aMissingFolderIsReported() throws IOException {
    Files.delete(folder);

    assertThatThrownBy(host::open)
        .isInstanceOf(UserError.class)
        .hasMessage(
            "there is no plugin folder '%s'; create it, or choose another with ebb.plugins.folder",
            folder);
  }

  @Test
  void aFileInPlaceOfTheFolderIsReported() throws IOException {
    Files.delete(folder);
    Files.writeString(folder, "a file");

    assertThatThrownBy(host::open)
        .isInstanceOf(UserError.class)
        .hasMessage("the plugin folder '%s' is a file; name the folder that contains it", folder);
  }

  @Test
  void whereNothingCanBeWrittenATemporaryFolderServes() throws IOException {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    Files.writeString(home.resolve("run"), "a file in the way");
    Set<Path> before = temporaryFolders();

    assertThat(open()).extracting(PluginReport::state).containsExactly(PluginState.LOADED);
    assertThat(temporaryFolders()).hasSize(before.size() + 1);

    host.close();
    assertThat(temporaryFolders()).isEqualTo(before);
  }

  @Test
  void oldCopiesThatAreNotNeededAreThrownAway() throws IOException {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    Path copies = Files.createDirectories(home.resolve("run/plugins"));
    Path old = copy(copies, 'a', Duration.ofDays(2));
    Path recent = copy(copies, 'b', Duration.ofHours(2));
    Path foreign = Files.createDirectory(copies.resolve("notes"));
    age(foreign, Duration.ofDays(9));

    String needed = String.valueOf(open().getFirst().sha256());

    assertThat(old).doesNotExist();
    assertThat(recent.resolve("x.jar")).exists();
    assertThat(foreign).exists();
    host.close();
    age(copies.resolve(needed), Duration.ofDays(3));
    open();
    assertThat(copies.resolve(needed)).exists();
  }

  @Test
  void copiesOfRefusedAndOfManyReplacedJarsAreDeleted() throws IOException {
    Files.writeString(folder.resolve("bad.jar"), "not a JAR");
    Files.setPosixFilePermissions(
        folder.resolve("bad.jar"), PosixFilePermissions.fromString("rw-r--r--"));
    open();
    assertThat(copies()).isZero();
    for (int i = 0; i < 40; i++) {
      PluginJarBuilder.plugin("acme").version("1.0." + i).policy("lru").writeTo(folder, "acme.jar");
      host.accept(host.scan(Set.of()));
    }
    assertThat(host.catalog().reports().getFirst().version()).isEqualTo("1.0.39");
    assertThat(copies()).isBetween(2L, 33L);
  }

  private long copies() throws IOException {
    try (Stream<Path> copies = Files.list(home.resolve("run/plugins"))) {
      return copies.filter(Files::isDirectory).count();
    }
  }

  @Test
  void aJarThatCannotBeCopiedIsTriedAgain() throws IOException {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    String sha256 = String.valueOf(open().getFirst().sha256());
    host.close();
    Path copy = home.resolve("run/plugins").resolve(sha256);
    Files.delete(copy.resolve("acme.jar"));
    Files.delete(copy);
    Files.createFile(copy);

    assertThat(open().getFirst().reason())
        .contains("'" + copy.getParent() + "'", "ebb.plugins.run");
    assertThat(host.isOverdue()).isTrue();
    Files.delete(copy);
    host.accept(host.scan(Set.of()));
    assertThat(host.catalog().reports().getFirst().state()).isEqualTo(PluginState.LOADED);
    assertThat(host.isOverdue()).isFalse();
  }

  @Test
  void copiesThatAnotherProcessMayUseStay() throws IOException {
    Path copies = Files.createDirectories(home.resolve("run/plugins"));
    Path old = copy(copies, 'a', Duration.ofDays(2));
    try (FolderUse other = FolderUse.of(copies)) {
      other.begin();
      open();
      assertThat(old).exists();
      host.close();
    }
    open();
    assertThat(old).doesNotExist();
  }

  private static Path copy(Path copies, char digit, Duration age) throws IOException {
    Path copy = Files.createDirectory(copies.resolve(String.valueOf(digit).repeat(64)));
    Files.writeString(copy.resolve("x.jar"), "a copy");
    age(copy, age);
    return copy;
  }

  private static void age(Path path, Duration age) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(age)));
  }

  private static Set<Path> temporaryFolders() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("ebb-plugins-"))
          .collect(Collectors.toSet());
    }
  }

  private List<PluginReport> open() {
    host.open();
    return host.catalog().reports();
  }
}
