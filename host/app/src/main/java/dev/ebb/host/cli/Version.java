package dev.ebb.host.cli;

import dev.ebb.spi.SpiVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ebb version}: the same as {@code --version}. */
@Command(
    name = "version",
    description = "Prints the versions of Ebb, the SPI and Java",
    footer = "  ebb version")
public final class Version implements IVersionProvider, Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
  }

  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "ebb %s (spi %s, Java %s)"
          .formatted(
              version == null ? "development" : version, SpiVersion.current(), Runtime.version())
    };
  }
}
