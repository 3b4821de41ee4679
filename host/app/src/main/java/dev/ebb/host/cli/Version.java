package dev.ebb.host.cli;

import dev.ebb.spi.SpiVersion;
import picocli.CommandLine.IVersionProvider;

/** The output of {@code ebb --version}. */
public final class Version implements IVersionProvider {

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
