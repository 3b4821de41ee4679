package dev.ebb.host.cli;

import java.io.PrintWriter;
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
    description = "Prints a script that makes a shell complete commands and options",
    footer = {
      "  source <(ebb completion bash)",
      "  ebb completion bash > /etc/bash_completion.d/ebb",
      "  ebb completion zsh > ~/.ebb-completion.zsh; echo 'source ~/.ebb-completion.zsh' >>"
          + " ~/.zshrc"
    })
final class CompletionCommand implements Callable<Integer> {

  /** The supported shells. */
  enum Shell {
    BASH,
    ZSH
  }

  static final String NAME = "completion";

  @Spec private CommandSpec spec;

  /** Only for the command line: the script detects the shell by itself. */
  @Parameters(
      paramLabel = "SHELL",
      description = "${COMPLETION-CANDIDATES}",
      completionCandidates = OptionValues.Shells.class)
  @SuppressWarnings("UnusedVariable")
  private Shell shell;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    out.println(AutoComplete.bash(root.getCommandName(), root));
    out.flush();
    return 0;
  }
}
