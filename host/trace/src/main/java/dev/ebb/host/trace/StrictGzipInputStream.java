package dev.ebb.host.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Gzip of one or more members. Unlike the JDK's stream, it does not take a broken member for the
 * end of the data. Zeros behind the last member are padding.
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
        throw new ZipException("the data after a gzip member are not gzip");
      }
    }
  }
}
