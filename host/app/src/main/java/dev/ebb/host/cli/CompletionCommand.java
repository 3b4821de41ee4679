package dev.ebb.host.cli;

import dev.ebb.host.cli.completion.FishScript;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code ebb completion}: prints the script that makes a shell complete Ebb's commands and options.
 */
@Command(
    name = CompletionCommand.NAME,
    description =
        "Prints a script that makes a shell complete commands and options, of 'ebb' and of paths to"
            + " it such as './ebb'",
    footer = {
      "  source <(./ebb completion bash)",
      "  ebb completion bash > /etc/bash_completion.d/ebb",
      "  ebb completion zsh > ~/.ebb-completion.zsh; echo 'source ~/.ebb-completion.zsh' >>"
          + " ~/.zshrc",
      "  ebb completion fish > ~/.config/fish/completions/ebb.fish"
    })
public final class CompletionCommand implements Callable<Integer> {

  public enum Shell {
    BASH,
    ZSH,
    FISH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static final String NAME = "completion";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  private Shell shell;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    // One script is for bash and zsh, and detects which of them reads it.
    out.print(
        shell == Shell.FISH
            ? FishScript.of(root)
            : AutoComplete.bash(root.getCommandName(), root) + System.lineSeparator());
    out.flush();
    return 0;
  }
}
