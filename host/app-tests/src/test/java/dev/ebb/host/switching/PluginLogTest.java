package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.ebb.host.admin.LogLines;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.store.PartitionSpec;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.testing.TestSigner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What a running server logs about its JARs, with the levels of the server's own log. */
@Isolated("reads the log of all switches in this JVM")
class PluginLogTest extends PluginFolderTest {

  @RegisterExtension final LogLines log = new LogLines("dev.ebb.host.switching");

  @Test
  void aJarThatARunningServerRefusesIsLoggedOnce() throws IOException {
    jar("acme", "1.0.0", "one", "a.jar");
    try (StoreBench bench = open("")) {
      PluginJarBuilder.plugin("other")
          .policy("two")
          .without("Plugin-Requires")
          .writeTo(folder, "b.jar");
      bench.reloads.reload(Set.of());
      bench.reloads.reload(Set.of());
      assertThat(warnings())
          .singleElement()
          .asString()
          .contains("file=" + folder.resolve("b.jar"), "Plugin-Requires", "add");

      Files.writeString(folder.resolve("b.jar"), "not a JAR");
      bench.reloads.reload(Set.of());
      assertThat(warnings()).as("another reason").hasSize(2);
      bench.reloads.retry();
      assertThat(warnings()).as("an operator asks").hasSize(3);

      jar("other", "1.0.0", "two", "b.jar");
      bench.reloads.reload(Set.of());
      assertThat(warnings()).hasSize(3);
      assertThat(log.at(Level.INFO))
          .last()
          .asString()
          .contains("plugin loaded", "id=other", "file=" + folder.resolve("b.jar"));
    }
  }

  @Test
  void aJarThatIsRefusedWhenTheServerStartsIsLogged() {
    jar("acme", "1.0.0", "one", "a.jar");
    jar("other", "1.0.0", "two", "b.jar");
    String hash;
    try (StoreBench bench = open("")) {
      hash = String.valueOf(bench.switcher.active().sha256());
    }
    try (StoreBench bench = open("ebb.plugins.allow = [\"%s\"]".formatted(hash))) {
      bench.reloads.reload(Set.of());
      assertThat(warnings())
          .singleElement()
          .asString()
          .contains("file=" + folder.resolve("b.jar"), "ebb.plugins.allow", "add it there");
    }
  }

  @Test
  void aJarWithoutATrustedSignatureIsLogged(@TempDir Path authors) throws IOException {
    TestSigner acme = TestSigner.of(authors, "Acme");
    Path keys = Files.createDirectory(home.resolve("keys"));
    Path trusted = Files.copy(acme.certificate(), keys.resolve("acme.crt"));
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(trusted, PosixFilePermissions.fromString("rw-r--r--"));
    acme.sign(jar("acme", "1.0.0", "one", "a.jar"));
    try (StoreBench bench =
        open("ebb.plugins { require-signature = true, keys-folder = \"%s\" }".formatted(keys))) {
      jar("other", "1.0.0", "two", "b.jar");
      bench.reloads.reload(Set.of());
      assertThat(warnings())
          .singleElement()
          .asString()
          .contains("file=" + folder.resolve("b.jar"), "is not signed", "jarsigner");
    }
  }

  @Test
  void aPolicyWhoseJarIsReplacedOrRemovedIsLoggedWithTheFile() throws IOException {
    jar("acme", "1.0.0", "one", "a.jar");
    try (StoreBench bench = open("ebb.plugins.on-removed = fall-back")) {
      assertThat(log.at(Level.INFO)).as("the start is no change").isEmpty();
      jar("acme", "1.1.0", "one", "a.jar");
      bench.reloads.reload(Set.of());
      assertThat(log.at(Level.INFO))
          .first()
          .asString()
          .as("before its code can end the process")
          .contains("policy self-test begins", "'one' of plugin 'acme' 1.1.0");
      assertThat(log.at(Level.INFO))
          .element(1)
          .asString()
          .contains(
              "'one' of plugin 'acme' 1.0.0",
              "'one' of plugin 'acme' 1.1.0",
              "changed JAR",
              "a.jar");

      Files.delete(folder.resolve("a.jar"));
      bench.reloads.reload(Set.of());
      assertThat(log.at(Level.INFO))
          .anyMatch(line ->
              line.contains("'one' of plugin 'acme' 1.1.0")
                  && line.contains("'builtin-lru'")
                  && line.contains("removed JAR: acme 1.1.0 (a.jar)"));
    }
  }

  @Test
  void aPolicyThatServesOnWithoutItsJarIsLogged() throws IOException {
    jar("acme", "1.0.0", "one", "a.jar");
    try (StoreBench bench = open("")) {
      Files.delete(folder.resolve("a.jar"));
      bench.reloads.reload(Set.of());
      bench.reloads.reload(Set.of());
      assertThat(warnings()).singleElement().asString().contains("a.jar", "its file was removed");
    }
  }

  @Test
  void aJarThatDoesNotTakeOverIsLoggedOnceWithItsFile() {
    jar("acme", "1.0.0", "one", "a.jar");
    try (StoreBench bench = open("")) {
      PluginJarBuilder.plugin("acme")
          .version("1.1.0")
          .provider("acme.One", BadPolicies.source("One", "throw new IllegalStateException();"))
          .writeTo(folder, "a.jar");
      bench.reloads.reload(Set.of());
      bench.reloads.reload(Set.of());
      assertThat(log.at(Level.ERROR))
          .singleElement()
          .asString()
          .contains("file=" + folder.resolve("a.jar"), "IllegalStateException");
      assertThat(warnings()).noneMatch(line -> line.contains("plugin refused"));
    }
  }

  private StoreBench open(String settings) {
    StoreBench bench =
        new StoreBench(
            home,
            "ebb.eviction.policy = one\n" + settings,
            List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, 16 << 20)));
    bench.switcher.switchTo("one", SwitchCause.START);
    return bench;
  }

  private Path jar(String id, String version, String policy, String file) {
    return PluginJarBuilder.plugin(id).version(version).policy(policy).writeTo(folder, file);
  }

  private List<String> warnings() {
    return log.at(Level.WARN);
  }
}
