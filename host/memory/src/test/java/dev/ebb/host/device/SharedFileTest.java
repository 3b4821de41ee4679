package dev.ebb.host.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.testing.SmallFileSystem;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slabs in a file that other processes map. */
class SharedFileTest {

  private static final int BYTES = 200_000;

  @TempDir private Path folder;

  @Test
  void slabsAreRangesOfOneFileThatOnlyItsUserOpens() throws IOException {
    try (HostDevice device = HostDevice.sharedIn(folder, NumaPlacement.DEFAULT)) {
      Slab first = device.reserve(BYTES);
      Slab second = device.reserve(BYTES);
      FileRange one = first.shared().orElseThrow();
      FileRange two = second.shared().orElseThrow();

      assertThat(one.file()).isEqualTo(two.file());
      assertThat(two.offset()).isGreaterThanOrEqualTo(one.offset() + BYTES);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(one.file())))
          .isEqualTo("rw-------");

      ByteBuffer there = mapped(two);
      second.segment().orElseThrow().set(ValueLayout.JAVA_BYTE, 7, (byte) 42);
      assertThat(there.get(7)).isEqualTo((byte) 42);
      there.put(BYTES - 1, (byte) 43);
      assertThat(second.segment().orElseThrow().get(ValueLayout.JAVA_BYTE, BYTES - 1))
          .isEqualTo((byte) 43);
      assertThat(mapped(one).get(7)).isZero();
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void filesOfDeadProcessesAreRemovedAndOthersStay() throws IOException {
    Path dead = Files.writeString(folder.resolve("ebb-of-a-dead-process.pool"), "bytes");
    Path other = Files.writeString(folder.resolve("other.pool"), "bytes");
    try (HostDevice device = HostDevice.sharedIn(folder, NumaPlacement.DEFAULT)) {
      Path own = device.reserve(BYTES).shared().orElseThrow().file();
      assertThat(files()).containsExactlyInAnyOrder(own.getFileName(), other.getFileName());
      assertThat(Files.exists(dead)).isFalse();
      try (HostDevice second = HostDevice.sharedIn(folder, NumaPlacement.DEFAULT)) {
        Path its = second.reserve(BYTES).shared().orElseThrow().file();
        assertThat(its).isNotEqualTo(own);
        assertThat(Files.exists(own)).isTrue();
      }
    }
  }

  @Test
  void aFolderThatDoesNotExistIsRefused() {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> HostDevice.sharedIn(missing, NumaPlacement.DEFAULT))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("ebb.server.shared-memory = '" + missing + "'")
        .hasMessageContaining("folder");
  }

  @Test
  void aFileSystemThatFillsLaterDoesNotTakeItsMemory() throws IOException, InterruptedException {
    try (SmallFileSystem small = SmallFileSystem.mount(folder, 8);
        HostDevice device = HostDevice.sharedIn(small.folder(), NumaPlacement.DEFAULT)) {
      Slab slab = device.reserve(6 << 20);
      small.fill();
      MemorySegment memory = slab.segment().orElseThrow();
      memory.fill((byte) 7);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1)).isEqualTo((byte) 7);
    }
  }

  @Test
  void whatDoesNotFitIsRefusedAndWhatFitsIsNot() throws IOException, InterruptedException {
    try (SmallFileSystem small = SmallFileSystem.mount(folder, 8);
        HostDevice device = HostDevice.sharedIn(small.folder(), NumaPlacement.DEFAULT)) {
      assertThatThrownBy(() -> device.reserve(9 << 20))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining(small.folder().toString())
          .hasMessageContaining("9 MiB")
          .hasMessageContaining("8 MiB")
          .hasMessageContaining("ebb.pool.size");
      device.reserve(4 << 20);
      assertThat(device.reserve(4 << 20).bytes()).isEqualTo(4 << 20);
    }
  }

  private static ByteBuffer mapped(FileRange range) throws IOException {
    try (FileChannel channel =
        FileChannel.open(range.file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, range.offset(), BYTES);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(Path::getFileName).toList();
    }
  }
}
