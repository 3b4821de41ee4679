package dev.ebb.host.cuda;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jcuda.JCudaVersion;
import jcuda.driver.JCudaDriver;

/** Loads JCuda's own library, once for the process. */
final class JcudaNatives {

  private static final String TEMPORARY = "java.io.tmpdir";

  private static boolean loaded;

  private JcudaNatives() {}

  /** Returns whether a class path has the library. */
  static boolean exist(ClassLoader classes) {
    String file = "lib/libJCudaDriver-%s-linux-x86_64.so".formatted(JCudaVersion.get());
    return classes.getResource(file) != null;
  }

  /**
   * Loads the library. JCuda unpacks it under a fixed name into the temporary directory and trusts
   * an existing file, so any user of the machine could plant one. It gets a directory that only
   * this user can write to.
   */
  static synchronized void load() {
    if (loaded) {
      return;
    }
    String shared = System.getProperty(TEMPORARY);
    try {
      Path own = Files.createTempDirectory("ebb-jcuda-");
      try {
        System.setProperty(TEMPORARY, own.toString());
        JCudaDriver.setExceptionsEnabled(false);
      } finally {
        System.setProperty(TEMPORARY, shared);
        delete(own.toFile());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "JCuda's library cannot be unpacked in '%s'; set -Djava.io.tmpdir to a directory with 2 MiB of free space"
              .formatted(shared),
          e);
    }
    loaded = true;
  }

  /** Deletes the file, which a mapped library does not need any more. */
  private static void delete(File directory) throws IOException {
    File[] files = directory.listFiles();
    if (files != null) {
      for (File file : files) {
        Files.delete(file.toPath());
      }
    }
    Files.delete(directory.toPath());
  }
}
