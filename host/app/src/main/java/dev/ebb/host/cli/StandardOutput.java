package dev.ebb.host.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output that remembers whether its reader closed it, as {@code head} does. */
final class StandardOutput extends FilterOutputStream {

  private boolean readerGone;

  StandardOutput() {
    this(new FileOutputStream(FileDescriptor.out));
  }

  StandardOutput(OutputStream target) {
    super(target);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException failed) {
      // The text of the system: the JDK has no type for it.
      readerGone |= String.valueOf(failed.getMessage()).contains("Broken pipe");
      throw failed;
    }
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  /** Returns whether the reader stopped on purpose, which is not a failure. */
  boolean readerGone() {
    return readerGone;
  }
}
