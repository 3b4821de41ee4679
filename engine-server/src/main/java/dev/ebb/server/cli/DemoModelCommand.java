package dev.ebb.server.cli;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb engine demo-model}. */
@Command(
    name = "demo-model",
    description =
        "Writes a small model with random weights, to try and to measure the server without a"
            + " download; its answers are letters without sense",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    footerHeading = "%nExample:%n",
    footer = "  ebb engine demo-model demo.gguf && ebb engine start demo.gguf")
final class DemoModelCommand implements Callable<Integer> {

  private static final int MOST_LAYERS = 64;
  private static final String CHAT_TEMPLATE =
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content']"
          + " + '<|im_end|>' + '\\n'}}{% endfor %}{# Functions are called as <tool_call>{\"name\":"
          + " ..., \"arguments\": ...}</tool_call> #}";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      description = "The new file, or the new folder with --format safetensors")
  private Path file;

  @Option(
      names = "--layers",
      paramLabel = "N",
      defaultValue = "8",
      description = "Layers of 2 to 4 million parameters, 1 to " + MOST_LAYERS)
  private int layers;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "full",
      description =
          "full (attention), recurrent (Mamba) or window (every fourth layer with full attention,"
              + " the others with a sliding window of "
              + RandomModel.WINDOW
              + " tokens)")
  private String kind;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "gguf",
      description = "gguf (for llama.cpp) or safetensors (a folder, for Jlama; only --kind full)")
  private String format;

  @Override
  public Integer call() {
    if (layers < 1 || layers > MOST_LAYERS) {
      throw wrong("--layers: '%d' must be 1 to %d".formatted(layers, MOST_LAYERS));
    }
    if (kind() == RandomModel.Kind.WINDOW && layers < RandomModel.WINDOW_LAYERS) {
      throw wrong(
          "--layers: '%d' must be at least %d with --kind window"
              .formatted(layers, RandomModel.WINDOW_LAYERS));
    }
    RandomModel.Shape shape = new RandomModel.Shape(layers, 8, 2, 64, 1_536, 8_192);
    RandomModel model =
        new RandomModel("demo", shape, kind()).withChatTemplate(CHAT_TEMPLATE).writingLetters();
    try {
      write(model);
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "ebb: wrote '%s': %.1f million random parameters, %s%n",
              file,
              model.parameters() / 1e6,
              ByteSize.format(Float.BYTES * model.parameters()));
      spec.commandLine().getOut().flush();
      return 0;
    } catch (FileAlreadyExistsException existing) {
      throw new UserError("'%s' exists; choose another name or delete it".formatted(file));
    } catch (IOException failed) {
      throw new UserError(
          "'%s' cannot be written: %s; choose a folder with free space"
              .formatted(file, Reasons.of(failed)));
    }
  }

  private void write(RandomModel model) throws IOException {
    switch (format) {
      case "gguf" ->
          model.write(
              file, (name, weights) -> {}, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      case "safetensors" -> {
        if (kind() != RandomModel.Kind.FULL) {
          throw wrong("--kind: '%s' must be full with --format safetensors".formatted(kind));
        }
        model.writeFolder(file);
      }
      default -> throw wrong("--format: '%s' must be gguf or safetensors".formatted(format));
    }
  }

  private RandomModel.Kind kind() {
    return switch (kind) {
      case "full" -> RandomModel.Kind.FULL;
      case "recurrent" -> RandomModel.Kind.RECURRENT;
      case "window" -> RandomModel.Kind.WINDOW;
      case "hybrid" ->
          throw wrong(
              "--kind: 'hybrid' is not possible, because the bundled llama.cpp computes no model with attention and recurrent layers; use recurrent");
      default -> throw wrong("--kind: '%s' must be full, recurrent or window".formatted(kind));
    };
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
