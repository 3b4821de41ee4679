package dev.ebb.server.cli;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code --api-key-file}: one key, or lines with a tenant and its key. Empty lines and those
 * that begin with {@code #} are comments.
 */
final class ApiKeyFile {

  private ApiKeyFile() {}

  /**
   * Reads a file.
   *
   * @return the tenant of each key; empty for a key alone
   * @throws UserError if it cannot be read, or a line is wrong
   */
  static Map<String, String> read(Path file) {
    List<String> lines = lines(file);
    if (lines.isEmpty()) {
      throw new UserError("--api-key-file: '%s' is empty; write a key into it".formatted(file));
    }
    if (lines.size() == 1 && !lines.getFirst().matches(".*\\s.*")) {
      return Map.of(lines.getFirst(), "");
    }
    Map<String, String> tenants = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String[] words = lines.get(i).split("\\s+", 2);
      if (words.length < 2 || words[1].matches(".*\\s.*")) {
        throw wrong(file, i, "must be a tenant and its key, such as 'ann sk-1234'");
      }
      if (tenants.put(words[1], words[0]) != null) {
        throw wrong(file, i, "repeats a key; each key must belong to one tenant");
      }
    }
    return tenants;
  }

  /** Does not show the line, which has a key. */
  private static UserError wrong(Path file, int line, String what) {
    return new UserError("--api-key-file: entry '%d' of '%s' %s".formatted(line + 1, file, what));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readString(file)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException failed) {
      throw new UserError(
          "--api-key-file: '%s' cannot be read: %s".formatted(file, failed.getMessage()));
    }
  }
}
