package dev.ebb.host.cli.server;

import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.text.KeyText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to pin: a key, or a prompt of which an engine has blocks in its cache. */
final class PinTarget {

  @Parameters(arity = "0..1", paramLabel = "KEY", description = KeyText.HELP)
  private @Nullable KeyText key;

  @Option(
      names = "--system-file",
      paramLabel = "FILE",
      description =
          "In an engine, the cached blocks of a chat's system message, which is this file")
  private @Nullable Path system;

  @Option(
      names = "--prompt-file",
      paramLabel = "FILE",
      description = "In an engine, the cached blocks of a prompt, which is this file")
  private @Nullable Path prompt;

  @Option(
      names = "--tenant",
      paramLabel = "NAME",
      description = "The tenant whose prompt is pinned; by default the one without a name")
  private @Nullable String tenant;

  /** Returns the properties that name it. */
  Map<String, Object> body(ServerOptions server) {
    if (Stream.of(key, system, prompt).filter(Objects::nonNull).count() != 1) {
      throw server.wrong("name what to pin, one of: a KEY, --system-file, --prompt-file");
    }
    Map<String, Object> body = new LinkedHashMap<>();
    if (key != null) {
      body.put("key", key.encoded());
    } else if (system != null) {
      body.put("system", text(server, "--system-file", system));
    } else if (prompt != null) {
      body.put("prompt", text(server, "--prompt-file", prompt));
    }
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    return body;
  }

  private static String text(ServerOptions server, String option, Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      throw server.wrong(
          "%s: '%s' cannot be read: %s".formatted(option, file, failed.getMessage()));
    }
  }
}
