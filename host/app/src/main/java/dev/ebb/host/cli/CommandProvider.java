package dev.ebb.host.cli;

/**
 * Brings a command of {@code ebb} that is not part of the host: an optional module's. Found with
 * {@link java.util.ServiceLoader} on the class path, and in the folder {@code optional} beside the
 * one of the host's JAR.
 */
public interface CommandProvider {

  /**
   * The command, made anew.
   *
   * @return an object with picocli's {@code @Command}, of a name that the host does not use
   */
  Object command();
}
