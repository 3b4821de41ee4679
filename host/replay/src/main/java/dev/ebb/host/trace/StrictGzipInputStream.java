package dev.ebb.host.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Gzip of one or more members that does not take a broken member for the end of the data, as the
 * JDK's own does. Zeros behind the last member are padding.
 */
final class StrictGzipInputStream extends GZIPInputStream {

  private static final int TRAILER = 8;

  StrictGzipInputStream(InputStream in, int size) throws IOException {
    super(in, size);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int read = super.read(target, offset, length);
    if (read < 0) {
      checkNothingFollows();
    }
    return read;
  }

  private void checkNothingFollows() throws IOException {
    for (int i = len - inf.getRemaining() + TRAILER; i < len; i++) {
      if (buf[i] != 0) {
        throw new ZipException("what follows a gzip member is not gzip");
      }
    }
  }
}
