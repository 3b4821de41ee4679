package dev.ebb.host.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ebb version}: the same as {@code --version}. */
@Command(
    name = "version",
    description = "Prints the versions of Ebb, the SPI and Java",
    footer = "  ebb version")
final class VersionCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
  }
}
