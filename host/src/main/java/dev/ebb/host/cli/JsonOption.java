package dev.ebb.host.cli;

import picocli.CommandLine.Option;

/** The option {@code --json}, for every command that can write a document in place of text. */
final class JsonOption {

  @Option(names = "--json", description = "Writes JSON")
  private boolean json;

  boolean wanted() {
    return json;
  }
}
