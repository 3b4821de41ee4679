package dev.ebb.host.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Reads small files of the kernel; a missing or unreadable file counts as empty. */
public final class SystemFiles {

  private SystemFiles() {}

  /** Returns the numbers behind the first words of the lines, whatever follows them. */
  public static Map<String, Long> table(Path file) {
    Map<String, Long> values = new HashMap<>();
    for (String line : lines(file)) {
      String[] words = line.strip().split("\\s+", -1);
      if (words.length >= 2 && words[1].matches("\\d{1,18}")) {
        values.put(words[0], Long.parseLong(words[1]));
      }
    }
    return values;
  }

  /** Returns a file that holds one number; empty for "max". */
  public static OptionalLong number(Path file) {
    List<String> lines = lines(file);
    return !lines.isEmpty() && lines.getFirst().strip().matches("\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(lines.getFirst().strip()))
        : OptionalLong.empty();
  }

  public static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException missing) {
      return List.of();
    }
  }
}
