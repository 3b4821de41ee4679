package dev.ebb.host.devkit.project;

import java.util.Locale;

/** The build of a new project. */
public enum ProjectBuild {
  /** Apache Maven, with the contract test as a JUnit test. */
  MAVEN("mvn verify", "target"),
  /** Gradle, with the same test. */
  GRADLE("gradle build", "build/libs"),
  /** A script of a few lines that calls {@code javac} and {@code jar}. */
  JAVAC("sh build.sh", "build");

  private final String command;
  private final String output;

  ProjectBuild(String command, String output) {
    this.command = command;
    this.output = output;
  }

  String command() {
    return command;
  }

  String output() {
    return output;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
