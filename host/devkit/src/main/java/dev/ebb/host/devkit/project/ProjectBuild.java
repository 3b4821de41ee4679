package dev.ebb.host.devkit.project;

/** The build of a new project. */
public enum ProjectBuild {
  /** Apache Maven, with the contract test as a JUnit test. */
  MAVEN("mvn verify"),
  /** A script of a few lines that calls {@code javac} and {@code jar}. */
  JAVAC("sh build.sh");

  private final String command;

  ProjectBuild(String command) {
    this.command = command;
  }

  String command() {
    return command;
  }
}
