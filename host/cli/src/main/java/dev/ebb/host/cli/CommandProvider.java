package dev.ebb.host.cli;

/**
 * Provides a command of {@code ebb} from an optional module. Found with {@link
 * java.util.ServiceLoader} on the class path, and in the folder {@code optional} beside the one of
 * the host's JAR.
 */
public interface CommandProvider {

  /**
   * Creates the command.
   *
   * @return an object with picocli's {@code @Command}, with a name that the host does not use
   */
  Object command();

  /** Returns the name of the optional command that this is a subcommand of; empty for none. */
  default String parent() {
    return "";
  }
}
