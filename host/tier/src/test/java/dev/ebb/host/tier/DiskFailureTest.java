package dev.ebb.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.OnStopChoice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.SmallFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real disks that are full, read-only or gone while clients go on. */
@Timeout(300)
class DiskFailureTest {

  private static final int FILE_MEBIBYTES = 17;

  @TempDir private Path folder;

  private int keys;

  private static TieredServer serve(List<Path> files) {
    return TieredServer.of(TieredServer.config(files, FILE_MEBIBYTES << 20, OnStopChoice.SAVE));
  }

  /** Sets values until the files in use are so many. Memory serves each of them. */
  private void setUntil(TieredServer server, TestClient client, int filesInUse) {
    Awaiting.until(() -> {
      for (int i = 0; i < 20; i++) {
        String key = "key-" + keys++;
        assertThat(client.call("SET", key, KnownValues.of(key, 1))).isEqualTo("OK");
        assertThat(KnownValues.version(key, client.get(key))).isEqualTo(1);
      }
      return server.tier().stats().filesInUse() == filesInUse;
    });
  }

  /** Reads all values; returns how many there are. None is wrong. */
  private int found(TestClient client) {
    int found = 0;
    for (int i = 0; i < keys; i++) {
      found += KnownValues.version("key-" + i, client.get("key-" + i)) == 1 ? 1 : 0;
    }
    return found;
  }

  private static void awaitUse(TieredServer server, int files) {
    Awaiting.until(() -> server.tier().stats().filesInUse() == files);
  }

  @Test
  void aFullFileSystemCostsOnlyWhatIsNotWritten() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(folder, 32)) {
      Path file = small.folder().resolve("tier");
      try (TieredServer server = serve(List.of(file));
          TestClient client = server.client()) {
        small.fill();
        long other = Files.size(small.folder().resolve("other"));
        setUntil(server, client, 0);
        assertThat(found(client)).isPositive();
        assertThat(small.folder().resolve("other")).hasSize(other);

        small.empty();
        awaitUse(server, 1);
        int before = keys;
        setUntil(server, client, 1);
        setUntil(server, client, 1);
        server.awaitRoom();
        assertThat(KnownValues.version("key-" + before, client.get("key-" + before))).isEqualTo(1);
        assertThat(server.tier().stats().disk().errors()).isPositive();
      }
      try (TieredServer server = serve(List.of(file));
          TestClient client = server.client()) {
        assertThat(found(client)).isPositive();
      }
    }
  }

  @Test
  void aReadOnlyFileSystemIsRefusedAtStartAndWaitedForLater() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(folder, 32)) {
      Path file = small.folder().resolve("tier");
      small.readOnly(true);
      assertThatThrownBy(() -> serve(List.of(file)))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll("'" + file + "'", "Read-only", "check the disk and the rights");
      small.readOnly(false);
      try (TieredServer server = serve(List.of(file));
          TestClient client = server.client()) {
        small.fill();
        setUntil(server, client, 0);
        // Its file is closed now.
        Awaiting.until(() -> isReadOnly(small));
        setUntil(server, client, 0);
        small.readOnly(false);
        small.empty();
        awaitUse(server, 1);
        setUntil(server, client, 1);
        assertThat(found(client)).isPositive();
      }
    }
  }

  /** Fails while the tier tries to open its file. */
  private static boolean isReadOnly(SmallFileSystem small) {
    try {
      small.readOnly(true);
      return true;
    } catch (IOException busy) {
      return false;
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void aFileThatVanishesIsBackWhenItIsThereAgain() throws Exception {
    Path file = folder.resolve("tier");
    Path away = folder.resolve("away");
    try (TieredServer server = serve(List.of(file));
        TestClient client = server.client()) {
      setUntil(server, client, 1);
      Files.move(file, away);
      setUntil(server, client, 0);
      assertThat(found(client)).isPositive();
      // It is not created on what may be another disk.
      assertThat(file).doesNotExist();
      Files.writeString(file, "something else");
      setUntil(server, client, 0);
      Files.move(away, file, StandardCopyOption.REPLACE_EXISTING);
      awaitUse(server, 1);
      setUntil(server, client, 1);
      assertThat(found(client)).isPositive();
    }
  }

  @Test
  void aFileThatIsCutOffGivesNoWrongValues() throws Exception {
    Path file = folder.resolve("tier");
    try (TieredServer server = serve(List.of(file));
        TestClient client = server.client()) {
      for (int i = 0; i < 10; i++) {
        setUntil(server, client, 1);
      }
      long size = Files.size(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(size / 2);
      }
      found(client);
      setUntil(server, client, 0);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.allocate(1), size - 1);
      }
      awaitUse(server, 1);
      setUntil(server, client, 1);
      assertThat(found(client)).isPositive();
    }
    try (TieredServer server = serve(List.of(file));
        TestClient client = server.client()) {
      assertThat(found(client)).isPositive();
    }
  }

  @Test
  void ofTwoDisksOneIsFull() throws Exception {
    Path one = Files.createDirectory(folder.resolve("one"));
    Path two = Files.createDirectory(folder.resolve("two"));
    try (SmallFileSystem small = SmallFileSystem.mount(one, 32)) {
      try (TieredServer server = serve(List.of(one.resolve("tier"), two.resolve("tier")));
          TestClient client = server.client()) {
        small.fill();
        setUntil(server, client, 1);
        assertThat((byte[]) client.call("INFO", "disk"))
            .asString()
            .contains("disk_in_use:1\r\n", "disk_files:2\r\n", "disk_files_in_use:1\r\n");
        long before = server.tier().stats().disk().writtenValues();
        setUntil(server, client, 1);
        Awaiting.until(() -> server.tier().stats().disk().writtenValues() > before);
        assertThat(found(client)).isPositive();
        small.empty();
        awaitUse(server, 2);
        assertThat(found(client)).isPositive();
      }
    }
  }
}
