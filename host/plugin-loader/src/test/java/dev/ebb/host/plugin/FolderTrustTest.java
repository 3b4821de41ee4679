package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** Plugin folders that other users could fill. */
class FolderTrustTest extends PluginFolderTest {

  @Test
  void aFolderOfThisUserIsTrusted() {
    assertThatCode(this::open).doesNotThrowAnyException();
  }

  @Test
  void aFolderThatOthersCanWriteIsRefused() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxr-x"));
    assertRefused("'" + folder + "' (rwxrwxr-x)", "chmod go-w");
  }

  @Test
  void aFolderInAFolderThatOthersCanWriteIsRefused() throws IOException {
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused("other users can write '" + home + "' (rwxrwxrwx)", "below folders");
    // As in /tmp, others can create files there, but not replace those of this user.
    Files.setAttribute(home, "unix:mode", 01777);
    assertThatCode(this::open).doesNotThrowAnyException();
  }

  @Test
  void aFolderOfAnotherUserOrBelowOneIsRefused() throws IOException {
    assumeTrue(Configs.giveAway(folder), "only root can give files away");
    assertRefused("'" + folder + "' belongs to '12345'", "below folders");
    Files.setAttribute(folder, "unix:uid", 0);
    assertThatCode(this::open).doesNotThrowAnyException();
    Files.setAttribute(home, "unix:uid", 12_345);
    assertRefused("'" + home + "' belongs to '12345'", "below folders");
  }

  @Test
  void aLinkOfAnotherUserIsRefused() throws IOException {
    Path real = Files.move(folder, home.resolve("real"));
    Files.createSymbolicLink(folder, real);
    assertThatCode(this::open).doesNotThrowAnyException();
    Files.delete(folder);
    Path shared = Files.createDirectory(home.resolve("shared"));
    Path moved = Files.move(real, shared.resolve("plugins"));
    Files.createSymbolicLink(folder, moved);
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused("other users can write '" + shared + "'", "below folders");
  }

  @Test
  void theCheckCanBeDisabled() throws IOException {
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
    try (PluginHost host =
        new PluginHost(
            new ConfigLoader(home, home)
                .load(null, "ebb.plugins.allow-writable-folder = true")
                .orThrow())) {
      assertThatCode(host::open).doesNotThrowAnyException();
    }
  }

  private void open() {
    try (PluginHost host = new PluginHost(Configs.defaults(home).config())) {
      host.open();
    }
  }

  private void assertRefused(String what, String remedy) {
    assertThatThrownBy(this::open)
        .isInstanceOf(UserError.class)
        .hasMessageContaining(what)
        .hasMessageContaining(remedy)
        .hasMessageContaining("ebb.plugins.allow-writable-folder");
  }
}
