package dev.ebb.llama.generate;

import dev.ebb.host.cli.CommandProvider;

/** Provides {@code ebb generate}. */
public final class GenerateProvider implements CommandProvider {

  @Override
  public Object command() {
    return new GenerateCommand();
  }
}
