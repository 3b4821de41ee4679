package dev.ebb.llama.generate;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The source of the prompt: one of two options. */
final class PromptGroup {

  private static final String STANDARD_INPUT = "-";

  @Option(names = "--prompt", paramLabel = "TEXT", description = "The prompt")
  private @Nullable String text;

  @Option(
      names = "--prompt-file",
      paramLabel = "FILE",
      description = "A file with the prompt, in UTF-8; '-' is standard input")
  private @Nullable String file;

  String read() {
    if (text != null) {
      return text;
    }
    try {
      return STANDARD_INPUT.equals(file)
          ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
          : Files.readString(Path.of(String.valueOf(file)));
    } catch (IOException failed) {
      throw new UserError(
          "--prompt-file: '%s' cannot be read as UTF-8 text: %s".formatted(file, failed));
    }
  }
}
