package dev.ebb.llama.generate;

import dev.ebb.host.cli.CommandProvider;

/** Offers {@code ebb generate}. */
public final class GenerateProvider implements CommandProvider {

  /** Made by the service loader. */
  public GenerateProvider() {}

  @Override
  public Object command() {
    return new GenerateCommand();
  }
}
