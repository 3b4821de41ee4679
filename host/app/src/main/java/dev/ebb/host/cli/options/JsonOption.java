package dev.ebb.host.cli.options;

import picocli.CommandLine.Option;

/** The option {@code --json}, for every command that can write JSON instead of text. */
public final class JsonOption {

  @Option(names = "--json", description = "Writes JSON")
  private boolean json;

  public boolean wanted() {
    return json;
  }
}
