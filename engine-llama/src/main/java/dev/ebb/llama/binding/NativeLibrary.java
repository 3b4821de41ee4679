package dev.ebb.llama.binding;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The shared library with llama.cpp, from the JAR {@code de.kherud:llama}. It is opened without
 * JNI: only its C functions are used.
 */
@SuppressWarnings("restricted")
final class NativeLibrary {

  private static final List<String> NEEDED = List.of("libstdc++.so.6", "libgomp.so.1");

  private NativeLibrary() {}

  /**
   * Opens the library for the life of the process.
   *
   * @throws UserError if there is none for this machine, or it cannot be opened
   */
  static SymbolLookup open() {
    String resource =
        resource(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    try (InputStream packed = NativeLibrary.class.getResourceAsStream(resource)) {
      return open(packed, resource);
    } catch (IOException failed) {
      throw new UserError("llama.cpp cannot be unpacked: " + failed.getMessage());
    }
  }

  /**
   * Returns the resource path of the library for a platform.
   *
   * @throws UserError if there is none
   */
  static String resource(String system, String processor) {
    String folder =
        switch (processor.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64", "arm64" -> "aarch64";
          default -> "";
        };
    if (!system.equals("Linux") || folder.isEmpty()) {
      throw new UserError(
          "llama.cpp is available for Linux on x86-64 or aarch64 only, but this is '%s' on '%s'"
              .formatted(system, processor));
    }
    return "/de/kherud/llama/Linux/%s/libjllama.so".formatted(folder);
  }

  private static SymbolLookup open(@Nullable InputStream packed, String resource)
      throws IOException {
    if (packed == null) {
      throw new UserError(
          "'%s' is not on the class path; put llama-4.2.0.jar beside the JAR of engine-llama"
              .formatted(resource));
    }
    Path folder =
        Files.createTempDirectory(
            "ebb-llama-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path file = folder.resolve("libjllama.so");
    try {
      Files.copy(packed, file);
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException refused) {
      throw new UserError(
          "llama.cpp cannot be loaded: %s; it needs glibc 2.17 or newer, and a temporary folder from which programs may run ('%s')"
              .formatted(missing(), folder.getParent()));
    } finally {
      // A mapped file stays, so nothing has to be cleaned up when the process ends.
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  private static String missing() {
    List<String> missing = NEEDED.stream().filter(name -> !present(name)).toList();
    return missing.isEmpty() ? "the system refuses it" : String.join(", ", missing) + " is missing";
  }

  private static boolean present(String name) {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(name, arena);
      return true;
    } catch (IllegalArgumentException absent) {
      return false;
    }
  }
}
