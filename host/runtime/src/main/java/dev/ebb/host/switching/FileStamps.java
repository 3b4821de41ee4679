package dev.ebb.host.switching;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Size, time and identity of files at one moment. Two equal snapshots mean that no file is being
 * written.
 */
record FileStamps(Map<Path, String> byFile) {

  static final FileStamps NONE = new FileStamps(Map.of());

  /**
   * Returns the stamps of all JARs in a folder and of one file. An unreadable file counts as
   * missing.
   */
  static FileStamps of(Path folder, @Nullable Path file) {
    Map<Path, String> stamps = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      files.filter(FileStamps::isJar).forEach(each -> stamps.put(each, stamp(each)));
    } catch (IOException unreadable) {
      // The folder scan reports this error.
    }
    if (file != null) {
      stamps.put(file, stamp(file));
    }
    return new FileStamps(stamps);
  }

  /** Returns the files that differ, including files that only one snapshot contains. */
  Set<Path> differences(FileStamps other) {
    Set<Path> all = new HashSet<>(byFile.keySet());
    all.addAll(other.byFile.keySet());
    return all.stream()
        .filter(each -> !Objects.equals(byFile.get(each), other.byFile.get(each)))
        .collect(Collectors.toSet());
  }

  FileStamps without(Set<Path> files) {
    Map<Path, String> rest = new TreeMap<>(byFile);
    List.copyOf(files).forEach(rest::remove);
    return new FileStamps(rest);
  }

  private static boolean isJar(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".jar") && !name.startsWith(".");
  }

  private static String stamp(Path file) {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return found.size() + " " + found.lastModifiedTime() + " " + found.fileKey();
    } catch (IOException gone) {
      return "";
    }
  }
}
