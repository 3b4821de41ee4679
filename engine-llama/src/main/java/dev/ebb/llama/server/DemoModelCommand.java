package dev.ebb.llama.server;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import dev.ebb.llama.demo.RandomModel;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
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

  @Parameters(paramLabel = "FILE", description = "The new file, in the GGUF format")
  private Path file;

  @Option(
      names = "--layers",
      paramLabel = "N",
      defaultValue = "8",
      description = "Layers of 3 million parameters, 1 to " + MOST_LAYERS)
  private int layers;

  @Override
  public Integer call() {
    if (layers < 1 || layers > MOST_LAYERS) {
      throw new ParameterException(
          spec.commandLine(), "--layers: '%d' must be 1 to %d".formatted(layers, MOST_LAYERS));
    }
    RandomModel.Shape shape = new RandomModel.Shape(layers, 8, 2, 64, 1_536, 8_192);
    try {
      new RandomModel("demo", shape)
          .withChatTemplate(CHAT_TEMPLATE)
          .writingLetters()
          .write(
              file, (name, weights) -> {}, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "ebb: wrote '%s': %.1f million random parameters, %s%n",
              file,
              shape.parameters() / 1e6,
              ByteSize.format(Files.size(file)));
      spec.commandLine().getOut().flush();
      return 0;
    } catch (FileAlreadyExistsException existing) {
      throw new UserError("'%s' exists; choose another name or delete it".formatted(file));
    } catch (IOException failed) {
      throw new UserError(
          "'%s' cannot be written: %s; choose a folder with free space"
              .formatted(file, failed.getMessage()));
    }
  }
}
