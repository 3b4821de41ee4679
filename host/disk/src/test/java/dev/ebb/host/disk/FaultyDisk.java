package dev.ebb.host.disk;

import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that fails, tears and lies. After a crash it has everything that was forced, and
 * of what was written since then each block or not.
 */
final class FaultyDisk {

  /** Loses every block that was not forced. */
  static final Random LOSES_ALL =
      new Random(0) {
        private static final long serialVersionUID = 1;

        @Override
        public int nextInt(int bound) {
          return 0;
        }
      };

  private byte[] current = {};
  private byte[] forced = {};
  private final List<Block> unforced = new ArrayList<>();
  private @Nullable String fault;
  private int writesUntilFault = Integer.MAX_VALUE;
  private int opened;
  private boolean failsReads;
  private int calls;
  private int failFrom = Integer.MAX_VALUE;
  private int failTo = Integer.MAX_VALUE;
  private String callFault = "";

  /** A written block. */
  private record Block(int position, byte[] bytes) {}

  /** Lets all calls fail after so many writes, until {@link #repair}. */
  synchronized void failAfter(int writes, String reason) {
    writesUntilFault = writes;
    fault = reason;
  }

  synchronized void failReads(boolean fails) {
    failsReads = fails;
  }

  /**
   * Lets some calls of any kind fail, also after a crash, until {@link #repair}.
   *
   * @param from how many calls succeed before
   */
  synchronized void failCalls(int from, int count, String reason) {
    failFrom = from;
    failTo = (int) Math.min(Integer.MAX_VALUE, (long) from + count);
    callFault = reason;
  }

  /** Returns how many calls there were. */
  synchronized int calls() {
    return calls;
  }

  synchronized void repair() {
    failFrom = Integer.MAX_VALUE;
    restart();
  }

  private void restart() {
    fault = null;
    writesUntilFault = Integer.MAX_VALUE;
    failsReads = false;
  }

  /** Ends all open files; the process is killed, and the operating system goes on. */
  synchronized void kill() {
    opened++;
    restart();
  }

  /** Ends all open files and loses some blocks that were not forced; some are torn. */
  synchronized void losePower(Random random) {
    opened++;
    restart();
    byte[] left = Arrays.copyOf(forced, current.length);
    for (Block block : unforced) {
      int kept =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> block.bytes.length;
            default -> random.nextInt(block.bytes.length / 512) * 512;
          };
      System.arraycopy(block.bytes, 0, left, block.position, kept);
    }
    current = left;
    forced = left.clone();
    unforced.clear();
  }

  synchronized void flip(int bit) {
    current[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
  }

  synchronized byte[] contents() {
    return current.clone();
  }

  synchronized void contents(byte[] bytes) {
    current = bytes.clone();
    forced = bytes.clone();
    unforced.clear();
  }

  synchronized BlockFile open() throws IOException {
    check(false);
    return new Opened(opened);
  }

  private void check(boolean write) throws IOException {
    calls++;
    if (calls > failFrom && calls <= failTo) {
      throw new IOException(callFault);
    }
    if (write && writesUntilFault-- <= 0 && fault != null) {
      throw new IOException(fault);
    }
    if (fault != null && writesUntilFault < 0) {
      throw new IOException(fault);
    }
  }

  /** A file on the disk, until it is killed. */
  private final class Opened implements BlockFile {

    private final int number;
    private boolean closed;

    Opened(int number) {
      this.number = number;
    }

    private void use(boolean write) throws IOException {
      if (closed || number != opened) {
        throw new IOException("closed");
      }
      check(write);
    }

    @Override
    public void read(ByteBuffer target, long position) throws IOException {
      synchronized (FaultyDisk.this) {
        use(false);
        if (failsReads) {
          throw new IOException("Input/output error");
        }
        int count = (int) Math.min(target.remaining(), Math.max(0, current.length - position));
        if (count > 0) {
          target.put(current, (int) position, count);
        }
        while (target.hasRemaining()) {
          target.put((byte) 0);
        }
      }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      synchronized (FaultyDisk.this) {
        if (position % DiskFormat.ALIGNMENT != 0
            || source.remaining() % DiskFormat.ALIGNMENT != 0) {
          throw new IOException("not aligned");
        }
        for (long at = position; source.hasRemaining(); at += DiskFormat.ALIGNMENT) {
          use(true);
          byte[] block = new byte[DiskFormat.ALIGNMENT];
          source.get(block);
          if (at + block.length > current.length) {
            current = Arrays.copyOf(current, (int) at + block.length);
          }
          System.arraycopy(block, 0, current, (int) at, block.length);
          unforced.add(new Block((int) at, block));
        }
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (FaultyDisk.this) {
        use(false);
        forced = Arrays.copyOf(forced, current.length);
        for (Block block : unforced) {
          System.arraycopy(block.bytes, 0, forced, block.position, block.bytes.length);
        }
        unforced.clear();
      }
    }

    @Override
    public long size() throws IOException {
      synchronized (FaultyDisk.this) {
        use(false);
        return current.length;
      }
    }

    @Override
    public void extend(long bytes) throws IOException {
      synchronized (FaultyDisk.this) {
        use(true);
        current = Arrays.copyOf(current, (int) Math.max(bytes, current.length));
      }
    }

    @Override
    public boolean isDirect() {
      return false;
    }

    @Override
    public void close() {
      synchronized (FaultyDisk.this) {
        closed = true;
      }
    }
  }
}
