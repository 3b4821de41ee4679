package dev.ebb.host.cli;

import dev.ebb.spi.SpiVersion;
import picocli.CommandLine.IVersionProvider;

/** What {@code ebb --version} prints. */
final class Version implements IVersionProvider {

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
