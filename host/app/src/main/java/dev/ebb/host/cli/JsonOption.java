package dev.ebb.host.cli;

import picocli.CommandLine.Option;

/** The option {@code --json}, for every command that can write a document in place of text. */
public final class JsonOption {

  @Option(names = "--json", description = "Writes JSON")
  private boolean json;

  /** Filled in by picocli. */
  public JsonOption() {}

  /**
   * What the user asked for.
   *
   * @return true for JSON
   */
  public boolean wanted() {
    return json;
  }
}
